import { ListChecks, Plus } from 'lucide';
import { usePages } from '../../api/hooks.ts';
import { useCan } from '../../api/session.tsx';
import { Empty, PageHeader } from '../../components/blocks.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ButtonLink, Link } from '../../components/link.tsx';
import { ListStateBadge } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';

/** Lists without an event: members, season tickets, staff. */
export function ListsPage() {
  const can = useCan();
  const pages = usePages('listLists', { query: { ongoing: 'true' } });
  const add = can('lists:write') && (
    <ButtonLink to="/lists/new" kind="primary" icon={Plus}>
      {say('lists.new')}
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title={say('lists.title')} lead={say('lists.lead')} actions={pages.items.length > 0 && add} />
      <DataTable
        label={say('lists.title')}
        pages={pages}
        rowKey={(list) => list.listId}
        columns={[
          {
            header: say('app.name-of'),
            width: 'minmax(12rem, 2fr)',
            cell: (list) => (
              <Link to="/lists/$listId" params={{ listId: list.listId }}>
                {list.name}
              </Link>
            ),
            sortBy: (list) => list.name,
          },
          { header: say('lists.state'), cell: (list) => <ListStateBadge state={list.state} /> },
          {
            header: say('lists.people'),
            align: 'end',
            cell: (list) => format.number(list.people),
            sortBy: (list) => list.people,
          },
          {
            header: say('lists.doors'),
            align: 'end',
            cell: (list) => format.number(list.devices),
            sortBy: (list) => list.devices,
          },
          {
            header: say('lists.kept-for'),
            align: 'end',
            cell: (list) => say('app.days', { count: list.retainDays }),
            sortBy: (list) => list.retainDays,
          },
        ]}
        empty={
          <Empty title={say('lists.empty')} icon={ListChecks} action={add}>
            {say('lists.empty-help')}
          </Empty>
        }
      />
    </>
  );
}
