import type { ApiKeyScope } from '@svc/protocol/endpoints';
import { KeyRound, Plus, Trash2 } from 'lucide';
import { type FormEvent, useState } from 'react';
import { useAct, usePages } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { RadioField, SelectField, TextField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toast.tsx';
import type { TextKey } from '../../text/index.ts';
import { areas, type Expiry, expiryDays, expiryOf } from './key-rights.ts';

type Key = ItemOf<'listApiKeys'>;

const tones: Readonly<Record<Key['state'], Tone>> = { active: 'good', expired: 'neutral', revoked: 'neutral' };

/** Keys of the organiser's own software: made with rights and an end, shown once, revoked. */
export function KeysPage() {
  const say = useSay();
  const format = useFormat();
  const can = useCan();
  const keys = usePages('listApiKeys');
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const columns: readonly Column<Key>[] = [
    { id: 'name', header: say('keys.name'), width: 'minmax(11rem, 2fr)', sortBy: ({ name }) => name, cell: nameOf },
    { id: 'rights', header: say('keys.rights'), cell: ({ scopes }) => <Rights scopes={scopes} /> },
    {
      id: 'state',
      header: say('keys.state'),
      cell: ({ state }) => <Badge tone={tones[state]}>{say(`keys.state-${state}`)}</Badge>,
    },
    {
      id: 'used',
      header: say('keys.last-used'),
      sortBy: ({ lastUsedAt }) => (lastUsedAt === null ? null : Date.parse(lastUsedAt)),
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? say('keys.never-used') : format.relative(lastUsedAt)),
    },
    {
      id: 'expires',
      header: say('keys.expires'),
      sortBy: ({ expiresAt }) => (expiresAt === null ? null : Date.parse(expiresAt)),
      cell: ({ expiresAt }) => (expiresAt === null ? say('keys.expires-never') : format.date(expiresAt)),
    },
  ];
  const mayWrite = can('keys:write');
  const add = (
    <Button kind="primary" icon={Plus} onPress={() => setNew(true)}>
      {say('keys.new')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={say('keys.title')}
        lead={say('keys.lead')}
        actions={mayWrite && keys.items.length > 0 && add}
      />
      <DataTable
        label={say('keys.title')}
        columns={columns}
        rowKey={({ keyId }) => keyId}
        pages={keys}
        empty={
          <Empty title={say('keys.empty')} icon={KeyRound} action={mayWrite && add}>
            {say('keys.empty-text')}
          </Empty>
        }
        {...(mayWrite ? { actions: (key: Key) => (key.state === 'active' ? <KeyMenu apiKey={key} /> : null) } : {})}
      />
      {isNew && (
        <NewKey
          onClose={() => setNew(false)}
          onCreated={(key) => {
            setNew(false);
            setCreated(key);
          }}
        />
      )}
      {created !== null && (
        <Dialog
          isOpen
          isKept
          onClose={() => setCreated(null)}
          title={say('keys.created-title')}
          cancelLabel={say('keys.kept')}
        >
          <p>{say('keys.created-text')}</p>
          <CopyField label={say('keys.key')} value={created} />
        </Dialog>
      )}
    </>
  );
}

const nameOf = ({ name }: Key) => name;

function Rights({ scopes }: { readonly scopes: readonly ApiKeyScope[] | null }) {
  const say = useSay();
  if (scopes === null) return say('keys.rights-all');
  return <span title={scopes.join(', ')}>{say('keys.rights-count', { count: scopes.length })}</span>;
}

function KeyMenu({ apiKey: { keyId, name } }: { readonly apiKey: Key }) {
  const say = useSay();
  const [isLeaving, setLeaving] = useState(false);
  const revoke = useAct('revokeApiKey', {
    onSuccess: () => {
      setLeaving(false);
      toast({ text: say('keys.revoked', { name }) });
    },
  });
  return (
    <>
      <Menu
        label={say('keys.actions', { name })}
        entries={[{ label: say('keys.revoke'), icon: Trash2, kind: 'danger', onPress: () => setLeaving(true) }]}
      />
      <Confirm
        isOpen={isLeaving}
        onClose={() => setLeaving(false)}
        title={say('keys.revoke-title', { name })}
        action={say('keys.revoke')}
        isBusy={revoke.isPending}
        onConfirm={() => revoke.mutate({ params: { keyId } })}
      >
        <p>{say('keys.revoke-text')}</p>
        {revoke.error !== null && <Problem error={revoke.error} />}
      </Confirm>
    </>
  );
}

function NewKey({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (apiKey: string) => void;
}) {
  const say = useSay();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'some' | 'all'>('some');
  const [scopes, setScopes] = useState<readonly ApiKeyScope[]>([]);
  const [expiry, setExpiry] = useState<Expiry>('365');
  const [isAsked, setAsked] = useState(false);
  const create = useAct('createApiKey', { onSuccess: ({ apiKey }) => onCreated(apiKey) });
  const isName = name.trim() !== '';
  const isChosen = kind === 'all' || scopes.length > 0;

  function send(event: FormEvent): void {
    event.preventDefault();
    setAsked(true);
    if (!isName || !isChosen) return;
    const expiresAt = expiryOf(expiry, Date.now());
    create.mutate({
      body: {
        name: name.trim(),
        ...(kind === 'all' ? {} : { scopes: [...scopes] }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
    });
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say('keys.new')}
      actions={
        <Button kind="primary" type="submit" form="new-key" isBusy={create.isPending}>
          {say('keys.create')}
        </Button>
      }
    >
      <form id="new-key" className="svcd-stack" noValidate onSubmit={send}>
        <TextField
          label={say('keys.name')}
          help={say('keys.name-help')}
          value={name}
          onChange={setName}
          autoFocus
          maxLength={200}
          autoComplete="off"
          error={isAsked && !isName ? say('keys.enter-name') : undefined}
        />
        <RadioField
          label={say('keys.rights')}
          value={kind}
          onChange={setKind}
          error={isAsked && !isChosen ? say('keys.choose-right') : undefined}
          options={[
            { value: 'some', label: say('keys.rights-some'), help: say('keys.rights-some-help') },
            { value: 'all', label: say('keys.rights-all'), help: say('keys.rights-all-help') },
          ]}
        />
        {kind === 'some' && <ScopeTable value={scopes} onChange={setScopes} />}
        <SelectField
          label={say('keys.expires')}
          value={expiry}
          onChange={setExpiry}
          options={expiryDays.map((days) => ({
            value: days,
            label: days === 'never' ? say('keys.expires-never') : say('keys.expires-days', { days }),
          }))}
        />
      </form>
      {create.error !== null && <Problem error={create.error} />}
    </Dialog>
  );
}

function ScopeTable({
  value,
  onChange,
}: {
  readonly value: readonly ApiKeyScope[];
  readonly onChange: (scopes: readonly ApiKeyScope[]) => void;
}) {
  const say = useSay();
  const toggle = (scope: ApiKeyScope) =>
    onChange(value.includes(scope) ? value.filter((each) => each !== scope) : [...value, scope]);
  return (
    <table className="svcd-scopes">
      <thead>
        <tr>
          <td />
          <th scope="col">{say('keys.read')}</th>
          <th scope="col">{say('keys.write')}</th>
        </tr>
      </thead>
      <tbody>
        {areas.map(({ name, read, write }) => {
          const area = say(`keys.area-${name}` as TextKey);
          const box = (scope: ApiKeyScope | null, label: string) =>
            scope !== null && (
              <input
                type="checkbox"
                aria-label={`${area}: ${label}`}
                checked={value.includes(scope)}
                onChange={() => toggle(scope)}
              />
            );
          return (
            <tr key={name}>
              <th scope="row">{area}</th>
              <td>{box(read, say('keys.read'))}</td>
              <td>{box(write, say('keys.write'))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
