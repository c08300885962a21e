import type { CountedListResource, HeadTurnAlternative, ReEntryPolicy } from '@svc/protocol';
import { useState } from 'react';
import { hasCode } from '../../api/errors.ts';
import { useAct, useRead } from '../../api/hooks.ts';
import { useCan } from '../../api/session.tsx';
import { Facts, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { RadioField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Notice, Problem, Unread } from '../../components/status.tsx';
import { useCurrentList } from '../../components/tabbed-page.tsx';
import { toast } from '../../components/toast.tsx';
import { format, say } from '../../text/index.ts';
import { ListLife } from './list-life.tsx';

/** Settings of an ongoing list, and its end. */
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

interface Settings {
  readonly name: string;
  readonly reEntry: ReEntryPolicy;
  readonly headTurnAlternative: HeadTurnAlternative;
}

const settingsOf = ({ name, reEntry, headTurnAlternative }: Settings): Settings => ({
  name,
  reEntry,
  headTurnAlternative,
});
const isSame = (one: Settings, other: Settings) => JSON.stringify(one) === JSON.stringify(other);

/** What a list's doors do, where they send check-ins, and by which model people are enrolled. */
export function ListSettings({ list }: { readonly list: CountedListResource }) {
  return (
    <>
      <DoorSettings list={list} />
      <CheckIns list={list} />
      <Recognition list={list} />
    </>
  );
}

function DoorSettings({ list }: { readonly list: CountedListResource }) {
  const can = useCan();
  const before = settingsOf(list);
  const [given, setGiven] = useState<Settings>(before);
  const isReadOnly = !can('lists:write');
  const change = useAct('updateList', { alsoChanges: ['events'] });
  const params = { listId: list.listId };
  const save = () =>
    change.mutate(
      { params, body: { ...given, name: given.name.trim() } },
      {
        onSuccess: () =>
          toast({
            text: say('lists.saved-for-doors'),
            onUndo: () => {
              setGiven(before);
              change.mutate({ params, body: before });
            },
          }),
      },
    );
  return (
    <Section title={say('lists.at-the-doors')} lead={say('lists.at-the-doors-lead')}>
      <Form
        act={change}
        action={say('app.save')}
        isReadOnly={isReadOnly}
        isDisabled={given.name.trim() === '' || isSame(given, before)}
        onSubmit={save}
      >
        <TextField
          label={say('events.list-name')}
          help={say('app.shown-at-doors')}
          value={given.name}
          isDisabled={isReadOnly}
          onChange={(name) => setGiven({ ...given, name })}
        />
        <RadioField<ReEntryPolicy>
          label={say('lists.re-entry')}
          help={say('lists.re-entry-help')}
          value={given.reEntry}
          isDisabled={isReadOnly}
          onChange={(reEntry) => setGiven({ ...given, reEntry })}
          options={(['off', 'warn', 'refuse'] as const).map((value) => ({
            value,
            label: say(`lists.re-entry-${value}`),
            help: say(`lists.re-entry-${value}-help`),
          }))}
        />
        <RadioField<HeadTurnAlternative>
          label={say('lists.head-turn')}
          help={say('lists.head-turn-help')}
          value={given.headTurnAlternative}
          isDisabled={isReadOnly}
          onChange={(headTurnAlternative) => setGiven({ ...given, headTurnAlternative })}
          options={(['none', 'staff', 'light'] as const).map((value) => ({
            value,
            label: say(`lists.head-turn-${value}`),
            help: say(`lists.head-turn-${value}-help`),
          }))}
        />
      </Form>
    </Section>
  );
}

function CheckIns({ list }: { readonly list: CountedListResource }) {
  const can = useCan();
  const [url, setUrl] = useState(list.checkInUrl ?? '');
  const [secret, setSecret] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const change = useAct('updateList', { onSuccess: () => toast({ text: say('lists.saved-for-doors') }) });
  const rotate = useAct('rotateCheckInSecret', {
    onSuccess: (made) => {
      setAsking(false);
      setSecret(made.secret);
    },
  });
  const params = { listId: list.listId };
  const isReadOnly = !can('lists:write');
  const wanted = url.trim() === '' ? null : url.trim();
  const error = hasCode(change.error, 'check-in-origin-not-allowed')
    ? say('lists.check-in-origin')
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
          label={say('lists.check-in-url')}
          help={say('lists.check-in-url-help')}
          type="url"
          placeholder="https://"
          value={url}
          error={error}
          isDisabled={isReadOnly}
          onChange={setUrl}
        />
      </Form>
      {list.checkInUrl !== null && list.checkInSecretAt === null && (
        <Notice tone="warning">{say('lists.no-secret')}</Notice>
      )}
      <Facts
        facts={[
          {
            label: say('lists.secret'),
            value:
              list.checkInSecretAt === null
                ? say('lists.secret-none')
                : say('lists.secret-made', { date: format.dateTime(list.checkInSecretAt) }),
          },
        ]}
      />
      {secret !== null && (
        <>
          <Notice tone="warning">{say('lists.secret-once')}</Notice>
          <CopyField label={say('lists.secret')} value={secret} />
        </>
      )}
      {!isReadOnly && (
        <div className="svcd-row">
          <Button
            isBusy={rotate.isPending}
            onPress={() => (list.checkInSecretAt === null ? rotate.mutate({ params }) : setAsking(true))}
          >
            {say(list.checkInSecretAt === null ? 'lists.secret-make' : 'lists.secret-replace')}
          </Button>
        </div>
      )}
      {!isAsking && rotate.error !== null && <Problem error={rotate.error} />}
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say('lists.secret-replace')}
        action={say('lists.secret-replace')}
        act={rotate}
        onConfirm={() => rotate.mutate({ params })}
      >
        <p>{say('lists.secret-replace-text')}</p>
      </Confirm>
    </Section>
  );
}

function Recognition({ list }: { readonly list: CountedListResource }) {
  const can = useCan();
  const [isAsking, setAsking] = useState(false);
  const change = useAct('changeModel', {
    onSuccess: (changed) => {
      setAsking(false);
      toast({ text: say(changed.modelId === list.modelId ? 'lists.model-same' : 'lists.model-changed') });
    },
  });
  const former = list.models.filter(({ modelId }) => modelId !== list.modelId);
  const people = former.reduce((sum, model) => sum + model.people, 0);
  return (
    <Section title={say('lists.recognition')} lead={say('lists.recognition-lead')}>
      <Facts
        facts={[
          { label: say('lists.wording'), value: say(`lists.wording-${list.consentVersion}`) },
          { label: say('lists.photo-source'), value: say(`lists.photo-source-${list.photoSource}`) },
          { label: say('lists.photo-check'), value: say(`lists.photo-check-${list.photoCheck}`) },
          { label: say('lists.model'), value: <span className="svcd-code">{list.models[0]?.engineId}</span> },
          {
            label: say('lists.model-others'),
            value: people === 0 ? say('lists.model-others-none') : format.number(people),
          },
        ]}
      />
      {people > 0 && <Notice>{say('lists.model-others-help', { count: people })}</Notice>}
      {can('lists:write') && list.state === 'open' && (
        <div className="svcd-row">
          <Button onPress={() => setAsking(true)}>{say('lists.model-change')}</Button>
        </div>
      )}
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={say('lists.model-change')}
        action={say('lists.model-change')}
        kind="primary"
        act={change}
        onConfirm={() => change.mutate({ params: { listId: list.listId }, body: {} })}
      >
        <p>{say('lists.model-change-text', { count: list.people })}</p>
      </Confirm>
    </Section>
  );
}
