import { format, say } from '../../text/index.ts';
import './events.css';
import type { EventResource } from '@svc/protocol';
import { CalendarDays, Plus, TriangleAlert } from 'lucide';
import { usePages, useRead } from '../../api/hooks.ts';
import { useCan } from '../../api/session.tsx';
import { Empty, PageHeader } from '../../components/blocks.tsx';
import { Icon } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { ButtonLink, Link, type Target } from '../../components/link.tsx';
import { ListStateBadge, Loading, Notice, Problem } from '../../components/status.tsx';
import type { Draft } from './event-flow.ts';
import { type Attention, attentionOf, EventStateBadge, inOrder, useZoned } from './event-state.tsx';

/** The first page: what needs attention, what runs, what comes, and what is over. */
export function EventsPage() {
  const can = useCan();
  const running = useRead('listEvents', { query: { state: 'running', limit: 200 } }, { everyMs: 60_000 });
  const upcoming = useRead('listEvents', { query: { state: 'upcoming', limit: 200 } }, { everyMs: 60_000 });
  const over = usePages('listEvents', { query: { state: 'over', limit: 20 } });
  const lists = useRead('listLists', { query: { ongoing: 'true', limit: 6 } }, { enabled: can('lists:read') });
  const error = running.error ?? upcoming.error;
  const isRead = running.data !== undefined && upcoming.data !== undefined && !over.query.isPending && !lists.isLoading;
  const present = inOrder([...(running.data?.items ?? []), ...(upcoming.data?.items ?? [])]);
  const isEmpty = isRead && present.length === 0 && over.items.length === 0 && (lists.data?.items.length ?? 0) === 0;
  const add = can('events:write') && (
    <ButtonLink to="/events/new" kind="primary" icon={Plus}>
      {say('events.new')}
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title={say('events.title')} actions={!isEmpty && add} />
      {error !== null && (
        <Problem error={error} onRetry={() => void Promise.all([running.refetch(), upcoming.refetch()])} />
      )}
      {error === null && !isRead && <Loading />}
      {isRead && (
        <div className="svcd-events">
          <OpenDraft />
          {isEmpty ? <FirstStep /> : <NeedAttention events={present} />}
          <Group title={say('events.running')} events={present.filter(({ state }) => state === 'running')} />
          <Group title={say('events.upcoming')} events={present.filter(({ state }) => state === 'upcoming')} />
          {(lists.data?.items.length ?? 0) > 0 && (
            <section aria-labelledby="ongoing">
              <header className="svcd-group-header">
                <h2 id="ongoing">{say('lists.title')}</h2>
                <Link to="/lists">{say('app.all-lists')}</Link>
              </header>
              <ul className="svcd-cards svcd-plain">
                {lists.data?.items.map((list) => (
                  <li key={list.listId} className="svcd-card svcd-panel">
                    <p className="svcd-card-title">
                      <Link className="svcd-card-link" to="/lists/$listId" params={{ listId: list.listId }}>
                        {list.name}
                      </Link>
                      <ListStateBadge state={list.state} />
                    </p>
                    <Counts people={list.people} devices={list.devices} />
                  </li>
                ))}
              </ul>
            </section>
          )}
          {over.items.length > 0 && (
            <section aria-labelledby="over">
              <header className="svcd-group-header">
                <h2 id="over">{say('events.over')}</h2>
              </header>
              <Past pages={over} />
            </section>
          )}
        </div>
      )}
    </>
  );
}

function Past({ pages }: { readonly pages: ReturnType<typeof usePages<'listEvents'>> }) {
  return (
    <DataTable
      label={say('events.over')}
      pages={pages}
      rowKey={(event) => event.eventId}
      columns={[
        {
          header: say('app.name-of'),
          width: 'minmax(12rem, 2fr)',
          cell: (event) => (
            <Link to="/events/$eventId" params={{ eventId: event.eventId }}>
              {event.name}
            </Link>
          ),
          sortBy: (event) => event.name,
        },
        {
          header: say('events.ended'),
          cell: (event) => format.date(event.endsAt),
          sortBy: (event) => event.endsAt,
        },
        {
          header: say('lists.people'),
          align: 'end',
          cell: (event) => (event.counts === null ? say('events.deleted') : format.number(event.counts.people)),
          sortBy: (event) => event.counts?.people ?? -1,
        },
      ]}
    />
  );
}

function Counts({ people, devices }: { readonly people: number; readonly devices: number }) {
  return <p className="svcd-muted svcd-number">{say('events.counts', { people, devices })}</p>;
}

function Group({ title, events }: { readonly title: string; readonly events: readonly EventResource[] }) {
  if (events.length === 0) return null;
  const id = `group-${events[0]?.state}`;
  return (
    <section aria-labelledby={id}>
      <header className="svcd-group-header">
        <h2 id={id}>{title}</h2>
      </header>
      <ul className="svcd-cards svcd-plain">
        {events.map((event) => (
          <EventCard key={event.eventId} event={event} />
        ))}
      </ul>
    </section>
  );
}

function EventCard({ event }: { readonly event: EventResource }) {
  const { shortRange } = useZoned(event);
  return (
    <li className="svcd-card svcd-panel">
      <p className="svcd-card-title">
        <Link className="svcd-card-link" to="/events/$eventId" params={{ eventId: event.eventId }}>
          {event.name}
        </Link>
        <EventStateBadge event={event} />
      </p>
      <p>{shortRange(event.startsAt, event.endsAt)}</p>
      {event.counts === null ? (
        <p className="svcd-muted">{say('events.without-list')}</p>
      ) : (
        <Counts {...event.counts} />
      )}
    </li>
  );
}

const places: Readonly<Record<Attention, string>> = {
  'no-list': '/events/$eventId/settings',
  'no-organiser': '/events/$eventId/looks',
  nobody: '/events/$eventId/guests',
  'no-door': '/events/$eventId/doors',
};

function NeedAttention({ events }: { readonly events: readonly EventResource[] }) {
  const now = Date.now();
  const lacking = events.flatMap((event) => attentionOf(event, now).map((lack) => ({ event, lack })));
  if (lacking.length === 0) return null;
  return (
    <section className="svcd-attention" aria-labelledby="attention">
      <h2 id="attention">
        <Icon of={TriangleAlert} />
        {say('events.attention')}
      </h2>
      <ul className="svcd-plain">
        {lacking.map(({ event, lack }) => {
          const to: Target = { to: places[lack], params: { eventId: event.eventId } };
          return (
            <li key={`${event.eventId} ${lack}`}>
              <span>
                <strong>{event.name}</strong> {say(`events.lacks-${lack}`)}
              </span>
              <Link {...to}>{say(`events.mend-${lack}`)}</Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** An event that was begun on this device and is not done. */
function OpenDraft() {
  const draft = useDraftStorage<Draft>('event').load();
  const name = draft?.event.name.trim() ?? '';
  if (draft === null || name === '' || draft.step === 'test') return null;
  return (
    <Notice
      title={say('events.draft', { name })}
      action={<ButtonLink to="/events/new">{say('events.draft-continue')}</ButtonLink>}
    >
      {say('events.draft-help')}
    </Notice>
  );
}

/** An account without anything: what comes first, and what follows. */
function FirstStep() {
  const can = useCan();
  return (
    <Empty
      title={say('events.empty')}
      icon={CalendarDays}
      action={
        can('events:write') && (
          <div className="svcd-row">
            <ButtonLink to="/events/new" kind="primary" icon={Plus}>
              {say('events.first')}
            </ButtonLink>
            {can('lists:write') && <ButtonLink to="/lists/new">{say('events.first-list')}</ButtonLink>}
          </div>
        )
      }
    >
      <p>{say('events.empty-help')}</p>
      <ol className="svcd-bullets svcd-ways">
        <li>{say('events.way-1')}</li>
        <li>{say('events.way-2')}</li>
        <li>{say('events.way-3')}</li>
      </ol>
    </Empty>
  );
}
