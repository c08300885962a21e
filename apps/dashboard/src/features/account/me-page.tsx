import { nameOfLanguage } from '@svc/ui/say';
import { useQueryClient } from '@tanstack/react-query';
import { MonitorSmartphone, Plus, Trash2 } from 'lucide';
import { useState } from 'react';
import { readKey, useAct, useApi, usePages } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { chooseLanguage, useFormat, useLanguage, useSay } from '../../app/language.tsx';
import { SESSION_KEY, useSession } from '../../app/session.tsx';
import { chooseTheme, chosenTheme, themes } from '../../app/theme.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { RadioField, SelectField, TextField } from '../../components/field.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.tsx';
import { languages } from '../../text/index.ts';
import { createPasskey, describeBrowser } from '../sign-in/passkey.ts';

/** The signed-in person: name, language, passkeys, sessions. */
export function MePage() {
  const say = useSay();
  return (
    <>
      <PageHeader title={say('me.title')} lead={say('me.lead')} />
      <Profile />
      <OnThisDevice />
      <Passkeys />
      <Sessions />
    </>
  );
}

function Profile() {
  const say = useSay();
  const cache = useQueryClient();
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
  return (
    <Section title={say('me.profile')}>
      <Facts
        facts={[
          { label: say('me.email'), value: user.email },
          { label: say('me.role'), value: say(`roles.${user.role}`) },
        ]}
      />
      <form
        className="svcd-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (trimmed !== '' && trimmed !== user.name) update.mutate({ body: { name: trimmed } });
        }}
      >
        <TextField label={say('me.name')} value={name} onChange={setName} maxLength={200} autoComplete="name" />
        {update.error !== null && <Problem error={update.error} />}
        <div className="svcd-row">
          <Button type="submit" isBusy={update.isPending} isDisabled={trimmed === '' || trimmed === user.name}>
            {say('app.save')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function OnThisDevice() {
  const say = useSay();
  const language = useLanguage();
  const update = useAct('updateOwnUser');
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Section title={say('me.device')}>
      <div className="svcd-form">
        <SelectField
          label={say('me.language')}
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

function Passkeys() {
  const say = useSay();
  const format = useFormat();
  const passkeys = usePages('listPasskeys');
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  const remove = useAct('deletePasskey', {
    onSuccess: () => {
      setLeaving(null);
      toast({ text: say('me.passkey-removed') });
    },
  });
  const columns: readonly Column<Passkey>[] = [
    { id: 'name', header: say('me.passkey-name'), cell: ({ name }) => name, width: 'minmax(10rem, 2fr)' },
    { id: 'created', header: say('me.created'), cell: ({ createdAt }) => format.date(createdAt) },
    {
      id: 'used',
      header: say('me.last-used'),
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? say('me.never') : format.relative(lastUsedAt)),
    },
  ];
  const add = (
    <Button icon={Plus} onPress={() => setAdding(true)}>
      {say('me.passkey-add')}
    </Button>
  );
  return (
    <Section title={say('me.passkeys')} lead={say('me.passkeys-lead')} actions={add}>
      <DataTable
        label={say('me.passkeys')}
        columns={columns}
        rowKey={({ passkeyId }) => passkeyId}
        pages={passkeys}
        empty={<Empty title={say('me.passkey-none')}>{say('me.passkey-none-text')}</Empty>}
        actions={(passkey) => (
          <Button
            kind="quiet"
            size="small"
            icon={Trash2}
            label={`${say('me.passkey-remove')}: ${passkey.name}`}
            onPress={() => setLeaving(passkey)}
          />
        )}
      />
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
      <Confirm
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title={say('me.passkey-remove-title', { name: leaving?.name ?? '' })}
        action={say('me.passkey-remove')}
        isBusy={remove.isPending}
        onConfirm={() => leaving !== null && remove.mutate({ params: { passkeyId: leaving.passkeyId } })}
      >
        <p>{say('me.passkey-remove-text')}</p>
        {remove.error !== null && <Problem error={remove.error} />}
      </Confirm>
    </Section>
  );
}

function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const say = useSay();
  const api = useApi();
  const cache = useQueryClient();
  const [name, setName] = useState(() => describeBrowser(navigator.userAgent) ?? '');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function add(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await createPasskey(api, name.trim());
      await cache.invalidateQueries({ queryKey: readKey('listPasskeys').slice(0, 1) });
      toast({ text: say('me.passkey-added') });
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say('me.passkey-add')}
      actions={
        <Button kind="primary" isBusy={isBusy} isDisabled={name.trim() === ''} onPress={() => void add()}>
          {say('sign-in.passkey-create')}
        </Button>
      }
    >
      <p>{say('sign-in.passkey-text')}</p>
      <TextField label={say('me.passkey-name')} value={name} onChange={setName} maxLength={100} />
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}

type OwnSession = ItemOf<'listOwnSessions'>;

function Sessions() {
  const say = useSay();
  const format = useFormat();
  const sessions = usePages('listOwnSessions');
  const revoke = useAct('revokeOwnSession', { onSuccess: () => toast({ text: say('me.session-revoked') }) });
  const columns: readonly Column<OwnSession>[] = [
    {
      id: 'device',
      header: say('me.session-device'),
      width: 'minmax(10rem, 2fr)',
      cell: ({ browser, platform, current }) => (
        <span className="svcd-row">
          {[browser, platform].filter((word) => word !== null).join(', ') || say('me.unknown-device')}
          {current && <Badge tone="good">{say('me.session-current')}</Badge>}
        </span>
      ),
    },
    { id: 'since', header: say('me.session-since'), cell: ({ createdAt }) => format.date(createdAt) },
    { id: 'seen', header: say('me.session-seen'), cell: ({ lastUsedAt }) => format.relative(lastUsedAt) },
    {
      id: 'revoke',
      header: '',
      width: 'auto',
      align: 'end',
      cell: ({ sessionId, current }) =>
        current ? null : (
          <Button size="small" onPress={() => revoke.mutate({ params: { sessionId } })}>
            {say('me.session-revoke')}
          </Button>
        ),
    },
  ];
  return (
    <Section title={say('me.sessions')} lead={say('me.sessions-lead')}>
      {revoke.error !== null && <Problem error={revoke.error} />}
      <DataTable
        label={say('me.sessions')}
        columns={columns}
        rowKey={({ sessionId }) => sessionId}
        pages={sessions}
        empty={<Empty title={say('me.sessions')} icon={MonitorSmartphone} />}
      />
    </Section>
  );
}
