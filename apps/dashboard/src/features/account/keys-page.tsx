import { type ApiKeyScope, apiKeyScopes } from '@svc/protocol/endpoints';
import { KeyRound, Plus, Trash2 } from 'lucide';
import { useState } from 'react';
import { useAct, usePages } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { useCan } from '../../api/session.tsx';
import { Empty, PageHeader } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { RadioField, SelectField, TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Menu } from '../../components/menu.tsx';
import { Badge, type Tone } from '../../components/status.tsx';
import { toast } from '../../components/toast.tsx';
import { format, say, type TextKey } from '../../text/index.ts';

type Key = ItemOf<'listApiKeys'>;

const tones: Readonly<Record<Key['state'], Tone>> = { active: 'good', expired: 'neutral', revoked: 'neutral' };

/** Keys of the organiser's own software: made with rights and an end, shown once, revoked. */
export function KeysPage() {
  const can = useCan();
  const keys = usePages('listApiKeys');
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const columns: readonly Column<Key>[] = [
    { header: say('app.name-of'), width: 'minmax(11rem, 2fr)', sortBy: ({ name }) => name, cell: nameOf },
    { header: say('keys.rights'), cell: ({ scopes }) => <Rights scopes={scopes} /> },
    {
      header: say('app.state'),
      cell: ({ state }) => <Badge tone={tones[state]}>{say(`keys.state-${state}`)}</Badge>,
    },
    {
      header: say('app.last-used'),
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? say('app.never') : format.relative(lastUsedAt)),
    },
    {
      header: say('keys.expires'),
      sortBy: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt }) => (expiresAt === null ? say('app.never') : format.date(expiresAt)),
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
  if (scopes === null) return say('keys.rights-all');
  return <span title={scopes.join(', ')}>{say('keys.rights-count', { count: scopes.length })}</span>;
}

function KeyMenu({ apiKey: { keyId, name } }: { readonly apiKey: Key }) {
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
        label={say('app.actions-for', { name })}
        entries={[{ label: say('app.revoke'), icon: Trash2, kind: 'danger', onPress: () => setLeaving(true) }]}
      />
      <Confirm
        isOpen={isLeaving}
        onClose={() => setLeaving(false)}
        title={say('keys.revoke-title', { name })}
        action={say('app.revoke')}
        act={revoke}
        onConfirm={() => revoke.mutate({ params: { keyId } })}
      >
        <p>{say('keys.revoke-text')}</p>
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
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'some' | 'all'>('some');
  const [scopes, setScopes] = useState<readonly ApiKeyScope[]>([]);
  const [expiry, setExpiry] = useState<Expiry>('365');
  const [isAsked, setAsked] = useState(false);
  const create = useAct('createApiKey', { onSuccess: ({ apiKey }) => onCreated(apiKey) });
  const isName = name.trim() !== '';
  const isChosen = kind === 'all' || scopes.length > 0;

  function send(): void {
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
    <FormDialog onClose={onClose} title={say('keys.new')} act={create} onSubmit={send} action={say('keys.create')}>
      <TextField
        label={say('app.name-of')}
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
          label: days === 'never' ? say('app.never') : say('keys.expires-days', { days }),
        }))}
      />
    </FormDialog>
  );
}

function ScopeTable({
  value,
  onChange,
}: {
  readonly value: readonly ApiKeyScope[];
  readonly onChange: (scopes: readonly ApiKeyScope[]) => void;
}) {
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

/** What a key may be allowed to read or change. */
export interface Area {
  readonly name: string;
  readonly read: ApiKeyScope | null;
  readonly write: ApiKeyScope | null;
}

/** The rights by what they are about, in the order of the protocol. */
export const areas: readonly Area[] = [...new Set(apiKeyScopes.map((scope) => scope.split(':')[0] ?? ''))].map(
  (name) => {
    const find = (kind: string) => apiKeyScopes.find((scope) => scope === `${name}:${kind}`) ?? null;
    return { name, read: find('read'), write: find('write') };
  },
);

export const expiryDays = ['never', '30', '90', '365'] as const;
export type Expiry = (typeof expiryDays)[number];

/** ISO 8601; undefined for a key that does not expire. */
export const expiryOf = (expiry: Expiry, nowMs: number): string | undefined =>
  expiry === 'never' ? undefined : new Date(nowMs + Number(expiry) * 86_400_000).toISOString();
