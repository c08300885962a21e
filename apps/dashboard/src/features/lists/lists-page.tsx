import { ListChecks, Plus } from 'lucide';
import { useCan, usePages } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { ButtonLink } from '../../components/controls.tsx';
import { CollectionPage, type Column, counts } from '../../components/data-table.tsx';
import { ListStateBadge } from '../../components/status.tsx';
import { say } from '../../text/index.ts';

const columns: readonly Column<ItemOf<'listLists'>>[] = [
  { header: 'app.name-of', width: 'minmax(12rem, 2fr)', sortBy: ({ name }) => name },
  { header: 'lists.enrolment', cell: ({ state }) => <ListStateBadge state={state} /> },
  counts('people.tab', ({ people }) => people),
  counts('doors.tab', ({ devices }) => devices),
  {
    header: 'lists.kept-for',
    align: 'end',
    cell: ({ retainDays }) => say('app.days', { count: retainDays }),
    sortBy: ({ retainDays }) => retainDays,
  },
];

export function ListsPage() {
  const can = useCan();
  const pages = usePages('listLists', { query: { ongoing: 'true' } });
  return (
    <CollectionPage
      title={say('lists.title')}
      lead={say('lists.lead')}
      columns={columns}
      pages={pages}
      rowKey={({ listId }) => listId}
      link={({ listId }) => ({ to: '/lists/$listId', params: { listId } })}
      add={can('lists:write') && <ButtonLink to="/lists/new" kind="primary" icon={Plus} text={say('lists.new')} />}
      none={{ title: say('lists.empty'), icon: ListChecks, text: say('lists.empty-help') }}
    />
  );
}
