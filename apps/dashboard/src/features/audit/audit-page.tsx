import type { AuditEntryResource } from '@svc/protocol';
import { Activity, Bot, Building2, KeyRound, UserRound } from 'lucide';
import { useMemo, useState } from 'react';
import { useCan, usePages, useRead } from '../../api/hooks.ts';
import { Empty, PageHeader } from '../../components/blocks.tsx';
import { Icon, Link } from '../../components/controls.tsx';
import { type Column, DataTable, moments } from '../../components/data-table.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { useValues } from '../../components/form.tsx';
import { say, useNow } from '../../text/index.ts';
import { actOf, actorOf, boundsOf, type Names, type Period, periods, shortId } from './audit-words.ts';

const actorIcons = { user: UserRound, 'api-key': KeyRound, operator: Building2, system: Bot };

export function AuditPage() {
  const nowMs = useNow(600_000);
  const names = useNames();
  const [period, setPeriod] = useState<Period>('month');
  const { values: own, bind } = useValues({ from: '', to: '' });
  const pages = usePages('listAuditEntries', { query: { limit: 100, ...boundsOf(period, own, nowMs) } });
  const columns: readonly Column<AuditEntryResource>[] = [
    { header: 'app.what', width: 'minmax(10rem, 1.4fr)', cell: ({ action }) => actOf(action) },
    { header: 'audit.target', cell: ({ target }) => <TargetName id={target} names={names} /> },
    {
      header: 'audit.who',
      width: 'minmax(8rem, 1fr)',
      cell: (entry) => (
        <span className="svcd-row">
          <Icon of={actorIcons[entry.actor.kind]} />
          {actorOf(entry, names)}
        </span>
      ),
    },
    moments('app.when', 'minmax(9rem, 0.9fr)', ({ recordedAt }) => recordedAt),
  ];
  return (
    <>
      <PageHeader title={say('audit.title')} lead={say('audit.lead')} />
      <div className="svcd-stack">
        <div className="svcd-row svcd-filters">
          <SelectField
            label={say('audit.period')}
            value={period}
            onChange={setPeriod}
            options={[...(Object.keys(periods) as Period[]), 'own' as const].map((value) => ({
              value,
              label: say(`audit.period.${value}`),
            }))}
          />
          {period === 'own' && (
            <>
              <TextField label={say('audit.from')} type="date" max={own.to} {...bind('from')} />
              <TextField label={say('audit.to')} type="date" min={own.from} {...bind('to')} />
            </>
          )}
        </div>
        <DataTable
          label={say('audit.title')}
          columns={columns}
          pages={pages}
          rowKey={({ id }) => id}
          empty={<Empty title={say('audit.none')} icon={Activity} text={say('audit.none-help')} />}
        />
      </div>
    </>
  );
}

function TargetName({ id, names }: { readonly id: string; readonly names: Names }) {
  const name = names.get(id);
  if (name === undefined) return <span className="svcd-code">{shortId(id)}</span>;
  const page = { evt_: 'events', lst_: 'lists' }[id.slice(0, 4)];
  return page === undefined ? name : <Link to={`/${page}/${id}`}>{name}</Link>;
}

const LATEST = { query: { limit: 200 } } as const;

/** Names of the account's latest events, lists, keys, users and webhooks, as far as the person may read them. */
function useNames(): Names {
  const can = useCan();
  const events = useRead('listEvents', LATEST, { enabled: can('events:read') }).data;
  const lists = useRead('listLists', LATEST, { enabled: can('lists:read') }).data;
  const keys = useRead('listApiKeys', LATEST, { enabled: can('keys:read') }).data;
  const users = useRead('listUsers', LATEST, { enabled: can('users:read') }).data;
  const webhooks = useRead('listWebhooks', LATEST, { enabled: can('webhooks:read') }).data;
  return useMemo(
    () =>
      new Map([
        ...(events?.items ?? []).map(({ eventId, name }) => [eventId, name] as const),
        ...(lists?.items ?? []).map(({ listId, name }) => [listId, name] as const),
        ...(keys?.items ?? []).map(({ keyId, name }) => [keyId, name] as const),
        ...(users?.items ?? []).map(({ userId, name }) => [userId, name] as const),
        ...(webhooks?.items ?? []).map(({ webhookId, url }) => [webhookId, url] as const),
      ]),
    [events, lists, keys, users, webhooks],
  );
}
