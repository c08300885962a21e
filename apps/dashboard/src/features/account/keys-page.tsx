import { type ApiKeyScope, apiKeyScopes } from '@svc/protocol/endpoints';
import { KeyRound, Plus, Trash2 } from 'lucide';
import { useState } from 'react';
import { useAct, useCan, usePages } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { Button } from '../../components/controls.tsx';
import { CollectionPage, type Column, since } from '../../components/data-table.tsx';
import { RadioField, SelectField, TextField } from '../../components/field.tsx';
import { ConfirmAct, Dialog, FormDialog, useClose, useDialog, useValues } from '../../components/form.tsx';
import { CopyField } from '../../components/hand-over.tsx';
import { Menu } from '../../components/menu.tsx';
import { Badge, type Tone } from '../../components/status.tsx';
import { format, say, type TextKey, words } from '../../text/index.ts';

type Key = ItemOf<'listApiKeys'>;

const tones: Readonly<Record<Key['state'], Tone>> = { active: 'good', expired: 'neutral', revoked: 'neutral' };

const columns: readonly Column<Key>[] = [
  { header: 'app.name-of', width: 'minmax(11rem, 2fr)', sortBy: ({ name }) => name },
  { header: 'keys.rights', cell: rightsOf },
  { header: 'app.state', cell: ({ state }) => <Badge tone={tones[state]}>{say(`keys.state-${state}`)}</Badge> },
  since('app.last-used', ({ lastUsedAt }) => lastUsedAt),
  {
    header: 'keys.expires',
    sortBy: ({ expiresAt }) => expiresAt,
    cell: ({ expiresAt }) => (expiresAt === null ? say('app.never') : format.date(expiresAt)),
  },
];

function rightsOf({ scopes }: Key) {
  if (scopes === null) return say('keys.rights-all');
  return <span title={scopes.join(', ')}>{say('keys.rights-count', { count: scopes.length })}</span>;
}

export function KeysPage() {
  const mayWrite = useCan()('keys:write');
  const keys = usePages('listApiKeys');
  const { dialog, open } = useDialog();
  const menuOf = (key: Key) => {
    const onPress = () => open(<RevokeKey apiKey={key} />);
    const entry = { label: say('app.revoke'), icon: Trash2, kind: 'danger', onPress } as const;
    return key.state === 'active' && <Menu label={say('app.actions-for', { name: key.name })} entries={[entry]} />;
  };
  const add = () => open(<NewKey onCreated={(apiKey) => open(<CreatedKey apiKey={apiKey} />)} />);
  return (
    <>
      <CollectionPage
        title={say('keys.title')}
        lead={say('keys.lead')}
        columns={columns}
        rowKey={({ keyId }) => keyId}
        pages={keys}
        add={mayWrite && <Button kind="primary" icon={Plus} onPress={add} text={say('keys.new')} />}
        none={{ title: say('keys.empty'), icon: KeyRound, text: say('keys.empty-text') }}
        actions={mayWrite && menuOf}
      />
      {dialog}
    </>
  );
}

const RevokeKey = ({ apiKey: { keyId, name } }: { readonly apiKey: Key }) => (
  <ConfirmAct
    operation="revokeApiKey"
    input={{ params: { keyId } }}
    title={say('keys.revoke-title', { name })}
    text={say('keys.revoke-text')}
    action={say('app.revoke')}
    told={say('keys.revoked', { name })}
  />
);

const CreatedKey = ({ apiKey }: { readonly apiKey: string }) => (
  <Dialog isKept title={say('keys.created-title')} cancelLabel={say('webhooks.secret-kept')}>
    <p>{say('keys.created-text')}</p>
    <CopyField label={say('keys.key')} value={apiKey} />
  </Dialog>
);

const expiryDays = ['never', '30', '90', '365'] as const;

interface KeyDraft {
  readonly name: string;
  readonly kind: 'some' | 'all';
  readonly scopes: readonly ApiKeyScope[];
  readonly expiry: (typeof expiryDays)[number];
}

function NewKey({ onCreated }: { readonly onCreated: (apiKey: string) => void }) {
  const { values, change, bind } = useValues<KeyDraft>({ name: '', kind: 'some', scopes: [], expiry: '365' });
  const { name, kind, scopes, expiry } = values;
  const [isAsked, setAsked] = useState(false);
  const close = useClose();
  const create = useAct('createApiKey', {
    onSuccess: ({ apiKey }) => {
      close();
      onCreated(apiKey);
    },
  });
  const isName = name.trim() !== '';
  const isChosen = kind === 'all' || scopes.length > 0;

  function send(): void {
    setAsked(true);
    if (!isName || !isChosen) return;
    const expiresAt = new Date(Date.now() + Number(expiry) * 86_400_000);
    create.mutate({
      body: {
        name: name.trim(),
        ...(kind === 'all' ? {} : { scopes: [...scopes] }),
        ...(expiry === 'never' ? {} : { expiresAt: expiresAt.toISOString() }),
      },
    });
  }

  return (
    <FormDialog title={say('keys.new')} act={create} onSubmit={send} action={say('keys.create')}>
      <TextField
        label={say('app.name-of')}
        help={say('keys.name-help')}
        {...bind('name')}
        autoFocus
        maxLength={200}
        autoComplete="off"
        error={isAsked && !isName ? say('keys.enter-name') : undefined}
      />
      <RadioField
        label={say('keys.rights')}
        {...bind('kind')}
        error={isAsked && !isChosen ? say('keys.choose-right') : undefined}
        options={(['some', 'all'] as const).map((value) => ({ value, ...words(`keys.rights-${value}`) }))}
      />
      {kind === 'some' && <ScopeTable scopes={scopes} onChange={(chosen) => change({ scopes: chosen })} />}
      <SelectField
        label={say('keys.expires')}
        {...bind('expiry')}
        options={expiryDays.map((days) => ({
          value: days,
          label: days === 'never' ? say('app.never') : say('keys.expires-days', { days }),
        }))}
      />
    </FormDialog>
  );
}

/** What a right is about. */
type Area = ApiKeyScope extends `${infer Name}:${string}` ? Name : never;

const areas = {
  events: 'events.title',
  lists: 'lists.title',
  people: 'keys.area-people',
  consents: 'consents.title',
  devices: 'doors.tab',
  webhooks: 'webhooks.title',
  account: 'keys.area-account',
  keys: 'keys.title',
  users: 'users.title',
} as const satisfies Readonly<Record<Area, TextKey>>;

interface ScopeTableProps {
  readonly scopes: readonly ApiKeyScope[];
  readonly onChange: (scopes: readonly ApiKeyScope[]) => void;
}

function ScopeTable({ scopes, onChange }: ScopeTableProps) {
  const toggle = (scope: ApiKeyScope) =>
    onChange(scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope]);
  return (
    <table className="svcd-simple-table">
      <thead>
        <tr>
          <td />
          <th scope="col">{say('keys.read')}</th>
          <th scope="col">{say('keys.write')}</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(areas).map(([name, title]) => {
          const area = say(title);
          return (
            <tr key={name}>
              <th scope="row">{area}</th>
              {(['read', 'write'] as const).map((kind) => {
                const scope = apiKeyScopes.find((each) => each === `${name}:${kind}`);
                return (
                  <td key={kind}>
                    {scope !== undefined && (
                      <input
                        type="checkbox"
                        aria-label={`${area}: ${say(`keys.${kind}`)}`}
                        checked={scopes.includes(scope)}
                        onChange={() => toggle(scope)}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
