import { Outlet, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { CurrentListProvider } from '../../app/current-list.ts';
import { useSay } from '../../app/language.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { TabLinks } from '../../components/tabs.tsx';
import { ListStateBadge } from './list-state.tsx';
import '../events/events.css';

/** An ongoing list with its tabs. */
export function ListPage() {
  const say = useSay();
  const { listId = '' } = useParams({ strict: false }) as { readonly listId?: string };
  const list = useRead('getList', { params: { listId } });
  if (list.error !== null) {
    return (
      <>
        <PageHeader title={say('lists.list')} above={<Link to="/lists">{say('lists.title')}</Link>} />
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      </>
    );
  }
  if (list.data === undefined) return <Loading />;
  const params = { listId };
  return (
    <CurrentListProvider value={{ listId, eventId: list.data.eventId ?? null }}>
      <PageHeader
        title={list.data.name}
        above={<Link to="/lists">{say('lists.title')}</Link>}
        beside={<ListStateBadge state={list.data.state} />}
      />
      <TabLinks
        label={list.data.name}
        tabs={[
          { to: '/lists/$listId', params, label: say('lists.overview') },
          { to: '/lists/$listId/people', params, label: say('people.tab'), scope: 'people:read' },
          { to: '/lists/$listId/doors', params, label: say('doors.tab'), scope: 'devices:read' },
          { to: '/lists/$listId/import', params, label: say('import.tab'), scope: 'people:write' },
          { to: '/lists/$listId/settings', params, label: say('lists.settings') },
        ]}
      />
      <Outlet />
    </CurrentListProvider>
  );
}
