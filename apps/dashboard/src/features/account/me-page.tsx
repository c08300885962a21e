import { nameOfLanguage } from '@svc/page-kit';
import type { NoticeKind } from '@svc/protocol';
import { LogOut, MonitorSmartphone, Plus, Trash2 } from 'lucide';
import { useState } from 'react';
import { cache, SESSION_KEY } from '../../api/client.ts';
import { useAct, usePages, useSession, useTask } from '../../api/hooks.ts';
import { type ItemOf, readKey } from '../../api/operations.ts';
import { Empty, Facts, PageHeader, Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, DataTable, since } from '../../components/data-table.tsx';
import { CheckField, RadioField, SelectField, TextField } from '../../components/field.tsx';
import { ConfirmAct, Form, FormDialog, useClose, useDialog } from '../../components/form.tsx';
import { Badge, Problem, toast } from '../../components/status.tsx';
import { chooseLanguage, format, language, languages, say } from '../../text/index.ts';
import { createPasskey, describeBrowser } from '../sign-in/passkey.ts';
import { chooseTheme, chosenTheme, themes } from './theme.ts';

export function MePage() {
  return (
    <>
      <PageHeader title={say('me.title')} lead={say('me.lead')} />
      <Profile />
      <Mails />
      <OnThisDevice />
      <Passkeys />
      <Sessions />
    </>
  );
}

function Profile() {
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const update = useAct('updateOwnUser', {
    alsoChanges: ['users'],
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: SESSION_KEY });
      toast({ text: say('app.saved') });
    },
  });
  const trimmed = name.trim();
  const isChanged = trimmed !== '' && trimmed !== user.name;
  return (
    <Section title={say('me.profile')}>
      <Facts
        facts={{
          'app.email': user.email,
          'app.role': say(`roles.${user.role}`),
        }}
      />
      <Form
        act={update}
        kind="secondary"
        action={say('app.save')}
        isDisabled={!isChanged}
        onSubmit={() => isChanged && update.mutate({ body: { name: trimmed } })}
      >
        <TextField label={say('app.name-of')} value={name} onChange={setName} maxLength={200} autoComplete="name" />
      </Form>
    </Section>
  );
}

const noticeKinds: readonly NoticeKind[] = ['door-offline', 'lease-ending', 'webhook-failing', 'enrolment-goal'];

/** Of what the person is told by mail. */
function Mails() {
  const { user, deployment } = useSession();
  const update = useAct('updateOwnUser', { onSuccess: () => void cache.invalidateQueries({ queryKey: SESSION_KEY }) });
  const muted = user.mutedNotices;
  if (!deployment.mail) return null;
  return (
    <Section title={say('me.mails')} lead={say('me.mails-lead')}>
      {noticeKinds.map((kind) => (
        <CheckField
          key={kind}
          label={say(`me.mails-${kind}`)}
          value={!muted.includes(kind)}
          isDisabled={update.isPending}
          onChange={(isWanted) => {
            const others = muted.filter((each) => each !== kind);
            update.mutate({ body: { mutedNotices: isWanted ? others : [...others, kind] } });
          }}
        />
      ))}
      <Problem error={update.error} />
    </Section>
  );
}

function OnThisDevice() {
  const update = useAct('updateOwnUser');
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Section title={say('me.device')}>
      <div className="svcd-form">
        <SelectField
          label={say('guests.field.language')}
          value={language}
          onChange={(next) =>
            // Mails to the person are written in it, too.
            update.mutate({ body: { language: next } }, { onSettled: () => chooseLanguage(next) })
          }
          options={languages.map((tag) => ({ value: tag, label: nameOfLanguage(tag) }))}
        />
        <RadioField
          label={say('me.theme')}
          isInline
          value={theme}
          onChange={(next) => {
            setTheme(next);
            chooseTheme(next);
          }}
          options={themes.map((value) => ({ value, label: say(`me.theme-${value}`) }))}
        />
      </div>
    </Section>
  );
}

type Passkey = ItemOf<'listPasskeys'>;

const passkeyColumns: readonly Column<Passkey>[] = [
  { header: 'me.passkey-name', cell: ({ name }) => name, width: 'minmax(10rem, 2fr)' },
  { header: 'me.created', cell: ({ createdAt }) => format.date(createdAt) },
  since('app.last-used', ({ lastUsedAt }) => lastUsedAt),
];

function Passkeys() {
  const passkeys = usePages('listPasskeys');
  const { dialog, open } = useDialog();
  return (
    <Section
      title={say('me.passkeys')}
      lead={say('me.passkeys-lead')}
      actions={<Button icon={Plus} onPress={() => open(<AddPasskey />)} text={say('me.passkey-add')} />}
    >
      <DataTable
        label={say('me.passkeys')}
        columns={passkeyColumns}
        rowKey={({ passkeyId }) => passkeyId}
        pages={passkeys}
        empty={<Empty title={say('me.passkey-none')} text={say('me.passkey-none-text')} />}
        actions={(passkey) => (
          <Button
            kind="quiet"
            size="small"
            icon={Trash2}
            label={`${say('me.passkey-remove')}: ${passkey.name}`}
            onPress={() => open(<RemovePasskey passkey={passkey} />)}
          />
        )}
      />
      {dialog}
    </Section>
  );
}

const RemovePasskey = ({ passkey: { passkeyId, name } }: { readonly passkey: Passkey }) => (
  <ConfirmAct
    operation="deletePasskey"
    input={{ params: { passkeyId } }}
    title={say('me.passkey-remove-title', { name })}
    text={say('me.passkey-remove-text')}
    action={say('me.passkey-remove')}
    told={say('audit.act.passkey.remove')}
  />
);

function AddPasskey() {
  const close = useClose();
  const [name, setName] = useState(() => describeBrowser(navigator.userAgent) ?? '');
  const add = useTask(
    () => createPasskey(name.trim()),
    async () => {
      await cache.invalidateQueries({ queryKey: readKey('listPasskeys').slice(0, 1) });
      toast({ text: say('audit.act.passkey.add') });
      close();
    },
  );
  return (
    <FormDialog
      title={say('me.passkey-add')}
      act={add}
      action={say('sign-in.passkey-create')}
      isDisabled={name.trim() === ''}
      onSubmit={() => add.mutate()}
    >
      <p>{say('sign-in.passkey-text')}</p>
      <TextField label={say('me.passkey-name')} value={name} onChange={setName} maxLength={100} />
    </FormDialog>
  );
}

type OwnSession = ItemOf<'listOwnSessions'>;

const sessionColumns: readonly Column<OwnSession>[] = [
  {
    header: 'me.session-device',
    width: 'minmax(10rem, 2fr)',
    cell: ({ browser, platform, current }) => (
      <span className="svcd-row">
        {[browser, platform].filter((word) => word !== null).join(', ') || say('me.unknown-device')}
        {current && <Badge tone="good">{say('me.session-current')}</Badge>}
      </span>
    ),
  },
  { header: 'lists.since', cell: ({ createdAt }) => format.date(createdAt) },
  since('me.session-seen', ({ lastUsedAt }) => lastUsedAt),
];

function Sessions() {
  const sessions = usePages('listOwnSessions');
  const revoke = useAct('revokeOwnSession', { onSuccess: () => toast({ text: say('audit.act.session.end') }) });
  const leave = ({ sessionId, current }: OwnSession) =>
    !current && (
      <Button
        kind="quiet"
        size="small"
        icon={LogOut}
        label={say('sign-in.sign-out')}
        onPress={() => revoke.mutate({ params: { sessionId } })}
      />
    );
  return (
    <Section title={say('me.sessions')} lead={say('me.sessions-lead')}>
      <Problem error={revoke.error} />
      <DataTable
        label={say('me.sessions')}
        columns={sessionColumns}
        actions={leave}
        rowKey={({ sessionId }) => sessionId}
        pages={sessions}
        empty={<Empty title={say('me.sessions')} icon={MonitorSmartphone} />}
      />
    </Section>
  );
}
