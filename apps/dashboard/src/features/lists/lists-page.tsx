import { ListChecks, Plus } from 'lucide';
import { usePages } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { ButtonLink, Link } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ListStateBadge } from './list-state.tsx';

/** Lists without an event: members, season tickets, staff. */
export function ListsPage() {
  const say = useSay();
  const can = useCan();
  const format = useFormat();
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
            id: 'name',
            header: say('lists.name'),
            width: 'minmax(12rem, 2fr)',
            cell: (list) => (
              <Link to="/lists/$listId" params={{ listId: list.listId }}>
                {list.name}
              </Link>
            ),
            sortBy: (list) => list.name,
          },
          { id: 'state', header: say('lists.state'), cell: (list) => <ListStateBadge state={list.state} /> },
          {
            id: 'people',
            header: say('lists.people'),
            align: 'end',
            cell: (list) => format.number(list.people),
            sortBy: (list) => list.people,
          },
          {
            id: 'doors',
            header: say('lists.doors'),
            align: 'end',
            cell: (list) => format.number(list.devices),
            sortBy: (list) => list.devices,
          },
          {
            id: 'kept',
            header: say('lists.kept-for'),
            align: 'end',
            cell: (list) => say('lists.days', { count: list.retainDays }),
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
