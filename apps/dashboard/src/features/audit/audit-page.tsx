import type { AuditEntryResource } from '@svc/protocol';
import { Activity, Bot, Building2, KeyRound, UserRound } from 'lucide';
import { useState } from 'react';
import { usePages } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useNow } from '../../app/use-now.ts';
import { Icon } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { actOf, actorOf, boundsOf, type Names, type Period, periods, shortId } from './audit-words.ts';
import { useNames } from './use-names.ts';

const actorIcons = { user: UserRound, 'api-key': KeyRound, operator: Building2, system: Bot };

/** Who did what to the account. */
export function AuditPage() {
  const say = useSay();
  const format = useFormat();
  const nowMs = useNow(600_000);
  const names = useNames();
  const [period, setPeriod] = useState<Period>('month');
  const [own, setOwn] = useState({ from: '', to: '' });
  const pages = usePages('listAuditEntries', { query: { limit: 100, ...boundsOf(period, own, nowMs) } });
  const columns: readonly Column<AuditEntryResource>[] = [
    {
      id: 'act',
      header: say('audit.what'),
      width: 'minmax(10rem, 1.4fr)',
      cell: ({ action }) => actOf(action, say),
    },
    {
      id: 'target',
      header: say('audit.target'),
      width: 'minmax(8rem, 1.2fr)',
      cell: ({ target }) => <TargetName id={target} names={names} />,
    },
    {
      id: 'who',
      header: say('audit.who'),
      width: 'minmax(8rem, 1fr)',
      cell: (entry) => (
        <span className="svcd-with-icon">
          <Icon of={actorIcons[entry.actor.kind]} />
          {actorOf(entry, names, say)}
        </span>
      ),
    },
    {
      id: 'when',
      header: say('audit.when'),
      width: 'minmax(9rem, 0.9fr)',
      cell: ({ recordedAt }) => <time dateTime={recordedAt}>{format.dateTime(recordedAt)}</time>,
    },
  ];
  return (
    <>
      <PageHeader title={say('audit.title')} lead={say('audit.lead')} />
      <div className="svcd-stack">
        <div className="svcd-filters">
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
              <TextField
                label={say('audit.from')}
                type="date"
                value={own.from}
                max={own.to}
                onChange={(from) => setOwn({ ...own, from })}
              />
              <TextField
                label={say('audit.to')}
                type="date"
                value={own.to}
                min={own.from}
                onChange={(to) => setOwn({ ...own, to })}
              />
            </>
          )}
        </div>
        <DataTable
          label={say('audit.title')}
          columns={columns}
          pages={pages}
          rowKey={({ id }) => id}
          empty={
            <Empty title={say('audit.none')} icon={Activity}>
              {say('audit.none-help')}
            </Empty>
          }
        />
      </div>
    </>
  );
}

/** What was acted on: its name with a link to its page, else its identifier. */
function TargetName({ id, names }: { readonly id: string; readonly names: Names }) {
  const name = names.get(id);
  if (name === undefined) return <span className="svcd-code">{shortId(id)}</span>;
  if (id.startsWith('evt_')) {
    return (
      <Link to="/events/$eventId" params={{ eventId: id }}>
        {name}
      </Link>
    );
  }
  if (id.startsWith('lst_')) {
    return (
      <Link to="/lists/$listId" params={{ listId: id }}>
        {name}
      </Link>
    );
  }
  return <>{name}</>;
}
