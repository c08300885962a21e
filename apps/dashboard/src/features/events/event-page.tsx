import { Outlet, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { CurrentListProvider } from '../../app/current-list.ts';
import { useSay } from '../../app/language.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { TabLinks } from '../../components/tabs.tsx';

/** An event with its tabs. */
export function EventPage() {
  const say = useSay();
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  const event = useRead('getEvent', { params: { eventId } });
  if (event.error !== null) return <Problem error={event.error} onRetry={() => void event.refetch()} />;
  if (event.data === undefined) return <Loading />;
  const params = { eventId };
  // The event answers its list from a later version of the API on.
  const { listId = null } = event.data as { readonly listId?: string | null };
  return (
    <CurrentListProvider value={{ eventId, listId }}>
      <PageHeader title={event.data.name} above={<Link to="/">{say('events.title')}</Link>} />
      <TabLinks
        label={event.data.name}
        tabs={[
          { to: '/events/$eventId', params, label: say('events.overview') },
          { to: '/events/$eventId/guests', params, label: say('guests.tab'), scope: 'people:read' },
          { to: '/events/$eventId/people', params, label: say('people.tab'), scope: 'people:read' },
          { to: '/events/$eventId/doors', params, label: say('doors.tab'), scope: 'devices:read' },
          { to: '/events/$eventId/looks', params, label: say('events.looks') },
          { to: '/events/$eventId/settings', params, label: say('events.settings') },
        ]}
      />
      <Outlet />
    </CurrentListProvider>
  );
}
