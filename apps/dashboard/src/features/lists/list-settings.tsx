import type {
  ArrivalsPolicy,
  Attendance,
  CountedListResource,
  HeadTurnAlternative,
  ReEntryPolicy,
  ReEntryScope,
} from '@svc/protocol';
import { NotebookPen } from 'lucide';
import { useState } from 'react';
import { hasCode, messageOf } from '../../api/errors.ts';
import { useAct, useCan, useRead, useSession } from '../../api/hooks.ts';
import { Facts, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { RadioField, type RadioFieldProps, TextField } from '../../components/field.tsx';
import { ConfirmAct, Form, useDialog, useValues } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { MetadataDialog } from '../../components/metadata.tsx';
import { ModelWarnings, Notice, Problem, toast, Unread } from '../../components/status.tsx';
import { useCurrentList } from '../../components/tabbed-page.tsx';
import { format, say, words } from '../../text/index.ts';
import { servesUnattended, useDoors } from '../doors/door-alert.tsx';
import { ListLife } from './list-life.tsx';

export function ListSettingsTab() {
  const { listId } = useCurrentList();
  const list = useRead('getList', { params: { listId: listId ?? '' } });
  if (list.error !== null || list.data === undefined) return <Unread query={list} />;
  return (
    <>
      <ListSettings list={list.data} key={list.data.listId} />
      <ListLife list={list.data} />
    </>
  );
}

export function ListSettings({ list }: OfList) {
  return (
    <>
      <DoorSettings list={list} />
      <CheckIns list={list} />
      <Recognition list={list} />
    </>
  );
}

interface OfList {
  readonly list: CountedListResource;
}

/** Empty for none. */
const GOAL = /^([1-9]\d{0,6})?$/;
const bodyOf = <Of extends { readonly name: string; readonly goal: string }>({ name, goal, ...settings }: Of) => ({
  ...{ ...settings, name: name.trim(), enrolmentGoal: goal === '' ? null : Number(goal) },
});

function DoorSettings({ list }: OfList) {
  const { name, attendance = 'staffed', arrivals = 'off', headTurnAlternative } = list;
  const { reEntry, reEntryScope = 'device' } = list;
  const rules = { attendance, arrivals, reEntry, reEntryScope, headTurnAlternative };
  const before = { name, ...rules, goal: list.enrolmentGoal?.toString() ?? '' };
  const { values: given, change, bind } = useValues(before);
  const can = useCan();
  const isReadOnly = !can('lists:write');
  const { doors } = useDoors(list.listId, { enabled: can('devices:read') });
  const isUnattended = given.attendance === 'unattended';
  const unsuited = doors.filter((door) => door.lastSyncAt !== null && !servesUnattended(door)).length;
  const update = useAct('updateList', { alsoChanges: ['events'] });
  const params = { listId: list.listId };
  const { dialog, open } = useDialog();
  const openNotes = () => open(<MetadataDialog operation="updateList" params={params} before={list.metadata} />);
  const undo = () => {
    change(before);
    update.mutate({ params, body: bodyOf(before) });
  };
  const save = () =>
    update.mutate(
      { params, body: bodyOf(given) },
      { onSuccess: () => toast({ text: say('lists.saved-for-doors'), onUndo: undo }) },
    );
  return (
    <Section title={say('lists.at-the-doors')} lead={say('lists.at-the-doors-lead')}>
      <Form
        act={update}
        action={say('app.save')}
        isReadOnly={isReadOnly}
        isDisabled={
          given.name.trim() === '' || !GOAL.test(given.goal) || JSON.stringify(given) === JSON.stringify(before)
        }
        onSubmit={save}
      >
        <TextField
          label={say('events.list-name')}
          help={say('app.shown-at-doors')}
          {...bind('name')}
          isDisabled={isReadOnly}
        />
        <TextField {...words('lists.goal')} {...bind('goal')} inputMode="numeric" isDisabled={isReadOnly} />
        <AttendanceField
          value={given.attendance}
          onChange={(chosen) => change({ attendance: chosen, ...(chosen === 'unattended' ? withoutStaff(given) : {}) })}
          isDisabled={isReadOnly}
        />
        {isUnattended && unsuited > 0 && (
          <Notice tone="warning" text={say('lists.attendance-unsuited', { count: unsuited })} />
        )}
        <RadioField<ReEntryPolicy>
          {...words('lists.re-entry')}
          {...bind('reEntry')}
          isDisabled={isReadOnly}
          options={(['off', 'warn', 'refuse'] as const).map((value) => ({
            value,
            ...words(`lists.re-entry-${value}`),
          }))}
        />
        {given.reEntry !== 'off' && (
          <RadioField<ReEntryScope>
            {...words('lists.re-entry-scope')}
            {...bind('reEntryScope')}
            isDisabled={isReadOnly}
            options={(['device', 'list'] as const).map((value) => ({
              value,
              ...words(`lists.re-entry-scope-${value}`),
            }))}
          />
        )}
        <RadioField<ArrivalsPolicy>
          {...words('lists.arrivals')}
          {...bind('arrivals')}
          isDisabled={isReadOnly}
          options={(['off', 'counts'] as const).map((value) => ({ value, ...words(`lists.arrivals-${value}`) }))}
        />
        <RadioField<HeadTurnAlternative>
          {...words('lists.head-turn')}
          {...bind('headTurnAlternative')}
          isDisabled={isReadOnly}
          options={(isUnattended ? (['none', 'light'] as const) : (['none', 'staff', 'light'] as const)).map(
            (value) => ({
              value,
              ...words(`lists.head-turn-${value}`),
            }),
          )}
        />
      </Form>
      {!isReadOnly && <Button kind="quiet" icon={NotebookPen} onPress={openNotes} text={say('metadata.title')} />}
      {dialog}
    </Section>
  );
}

interface AttendanceFieldProps extends Pick<RadioFieldProps<Attendance>, 'isDisabled' | 'onChange'> {
  readonly value: Attendance | undefined;
}

export function AttendanceField({ value = 'staffed', ...o }: AttendanceFieldProps) {
  const ways = ['staffed', 'unattended'] as const;
  const options = ways.map((way) => ({ value: way, ...words(`lists.attendance-${way}`) }));
  return <RadioField<Attendance> {...words('lists.attendance')} {...{ value, options }} {...o} />;
}

/** Where nobody watches, nobody confirms. */
const withoutStaff = ({ headTurnAlternative: before }: { readonly headTurnAlternative: HeadTurnAlternative }) => ({
  headTurnAlternative: before === 'staff' ? ('none' as const) : before,
});

function CheckIns({ list }: OfList) {
  const [url, setUrl] = useState(list.checkInUrl ?? '');
  const [secret, setSecret] = useState<string | null>(null);
  const { dialog, open } = useDialog();
  const change = useAct('updateList', { onSuccess: () => toast({ text: say('lists.saved-for-doors') }) });
  const first = useAct('rotateCheckInSecret', { onSuccess: (made) => setSecret(made.secret) });
  const params = { listId: list.listId };
  const isReadOnly = !useCan()('lists:write');
  const wanted = url.trim() === '' ? null : url.trim();
  const isMade = list.checkInSecretAt !== null;
  const replacement = (
    <ConfirmAct
      operation="rotateCheckInSecret"
      input={{ params }}
      title={say('lists.secret-replace')}
      text={say('lists.secret-replace-text')}
      action={say('lists.secret-replace')}
      onDone={(made) => setSecret(made.secret)}
    />
  );
  const error = hasCode(change.error, 'check-in-origin-not-allowed')
    ? messageOf(change.error).help
    : change.error !== null && 'refuses' in change.error
      ? say('lists.check-in-invalid')
      : undefined;
  return (
    <Section title={say('lists.check-ins')} lead={say('lists.check-ins-lead')}>
      <Form
        act={{ ...change, error: null }}
        kind="secondary"
        action={say('app.save')}
        isReadOnly={isReadOnly}
        isDisabled={wanted === list.checkInUrl}
        isCheckedByBrowser
        onSubmit={() => change.mutate({ params, body: { checkInUrl: wanted } })}
      >
        <TextField
          {...words('lists.check-in-url')}
          type="url"
          placeholder="https://"
          value={url}
          error={error}
          isDisabled={isReadOnly}
          onChange={setUrl}
        />
      </Form>
      {list.checkInUrl !== null && !isMade && <Notice tone="warning" text={say('lists.no-secret')} />}
      <Facts
        facts={{
          'lists.secret':
            list.checkInSecretAt === null
              ? say('lists.secret-none')
              : say('lists.secret-made', { date: format.dateTime(list.checkInSecretAt) }),
        }}
      />
      {secret !== null && (
        <>
          <Notice tone="warning" text={say('lists.secret-once')} />
          <CopyField label={say('lists.secret')} value={secret} />
        </>
      )}
      {!isReadOnly && (
        <Button
          isBusy={first.isPending}
          onPress={() => (isMade ? open(replacement) : first.mutate({ params }))}
          text={say(isMade ? 'lists.secret-replace' : 'lists.secret-make')}
        />
      )}
      <Problem error={first.error} />
      {dialog}
    </Section>
  );
}

function Recognition({ list }: OfList) {
  const can = useCan();
  const { models } = useSession().deployment;
  const isRecommended = models && !models.warnings.includes('built-in-engine');
  const isBehind = isRecommended && list.state === 'open' && list.models[0]?.engineId !== models.engine;
  const { dialog, open } = useDialog();
  const former = list.models.filter(({ modelId }) => modelId !== list.modelId);
  const people = former.reduce((sum, model) => sum + model.people, 0);
  const change = (
    <ConfirmAct
      operation="changeModel"
      input={{ params: { listId: list.listId }, body: {} }}
      title={say('lists.model-change')}
      text={say('lists.model-change-text', { count: list.people })}
      action={say('lists.model-change')}
      kind="primary"
      told={say('lists.model-changed')}
    />
  );
  return (
    <Section title={say('lists.recognition')} lead={say('lists.recognition-lead')}>
      <Facts
        facts={{
          'lists.wording': say(`lists.wording-${list.consentVersion}`),
          'lists.photo-source': say(`lists.photo-source-${list.photoSource}`),
          'lists.photo-check': say(`lists.photo-check-${list.photoCheck}`),
          'lists.model': <span className="svcd-code">{list.models[0]?.engineId}</span>,
          'lists.model-installed': models ? <span className="svcd-code">{models.engine}</span> : null,
          'lists.passive-check': models ? (models.passiveCheck ?? say('lists.passive-check-none')) : null,
          'lists.model-others': people === 0 ? say('lists.model-others-none') : format.number(people),
        }}
      />
      <ModelWarnings />
      {isBehind && <Notice tone="warning" text={say('lists.model-behind')} />}
      {people > 0 && <Notice text={say('lists.model-others-help', { count: people })} />}
      {can('lists:write') && isBehind && <Button onPress={() => open(change)} text={say('lists.model-change')} />}
      {dialog}
    </Section>
  );
}
