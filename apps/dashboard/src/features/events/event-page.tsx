import { Outlet, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { CurrentListProvider } from '../../app/current-list.ts';
import { useSay } from '../../app/language.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { TabLinks } from '../../components/tabs.tsx';
import { useZoned } from './event-hooks.ts';
import { EventStateBadge } from './event-state.tsx';
import { ownTimeZone } from './zoned-time.ts';
import './events.css';

/** An event with its tabs. */
export function EventPage() {
  const say = useSay();
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  const event = useRead('getEvent', { params: { eventId } }, { everyMs: 60_000 });
  const zoned = useZoned({ timeZone: event.data?.timeZone ?? null });
  if (event.error !== null) {
    return (
      <>
        <PageHeader title={say('events.event')} above={<Link to="/">{say('events.title')}</Link>} />
        <Problem error={event.error} onRetry={() => void event.refetch()} />
      </>
    );
  }
  if (event.data === undefined) return <Loading />;
  const params = { eventId };
  const { name, startsAt, endsAt, listId } = event.data;
  const place = zoned.timeZone === ownTimeZone() ? '' : ` (${zoned.timeZone.replaceAll('_', ' ')})`;
  return (
    <CurrentListProvider value={{ eventId, listId }}>
      <PageHeader
        title={name}
        above={<Link to="/">{say('events.title')}</Link>}
        beside={<EventStateBadge event={event.data} />}
        lead={zoned.range(startsAt, endsAt) + place}
      />
      <TabLinks
        label={name}
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
