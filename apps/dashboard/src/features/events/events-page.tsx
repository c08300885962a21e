import './events.css';
import type { EventResource } from '@svc/protocol';
import { CalendarDays, Plus, TriangleAlert } from 'lucide';
import type { ReactNode } from 'react';
import { useCan, usePages, useRead } from '../../api/hooks.ts';
import type { ItemOf } from '../../api/operations.ts';
import { Empty, PageHeader } from '../../components/blocks.tsx';
import { ButtonLink, Icon, Link } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { useDraftStorage } from '../../components/draft-storage.ts';
import { ListStateBadge, Loading, ModelWarnings, Notice, Problem } from '../../components/status.tsx';
import { format, say, type TextKey, useNow } from '../../text/index.ts';
import { createZonedFormat } from '../../text/places.ts';
import { isGrave, troubledDoors, troubleOf, useDoorsOfLists } from '../doors/door-alert.tsx';
import type { Draft } from './event-flow.ts';
import { type Attention, attentionOf, EventStateBadge, inOrder, isSoon } from './event-state.tsx';

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
    <ButtonLink to="/events/new" kind="primary" icon={Plus} text={say('events.new')} />
  );
  return (
    <>
      <PageHeader title={say('events.title')} actions={!isEmpty && add} />
      {error !== null && (
        <Problem error={error} onRetry={() => void Promise.all([running.refetch(), upcoming.refetch()])} />
      )}
      {error === null && !isRead && <Loading />}
      {isRead && (
        <div className="svcd-stack">
          <ModelWarnings />
          <Notices />
          <OpenDraft />
          {isEmpty ? <FirstStep /> : <NeedAttention events={present} lists={lists.data?.items ?? []} />}
          {(['running', 'upcoming'] as const).map((state) => (
            <Group
              key={state}
              id={state}
              title={say(`events.${state}`)}
              cards={present.filter((event) => event.state === state).map(cardOfEvent)}
            />
          ))}
          <Group
            id="ongoing"
            title={say('lists.title')}
            more={<Link to="/lists">{say('app.all-lists')}</Link>}
            cards={(lists.data?.items ?? []).map(cardOfList)}
          />
          {over.items.length > 0 && (
            <section aria-labelledby="over">
              <header className="svcd-row svcd-between svcd-group-header">
                <h2 id="over">{say('events.state-over')}</h2>
              </header>
              <DataTable
                label={say('events.state-over')}
                pages={over}
                rowKey={({ eventId }) => eventId}
                link={({ eventId }) => ({ to: '/events/$eventId', params: { eventId } })}
                columns={pastColumns}
              />
            </section>
          )}
        </div>
      )}
    </>
  );
}

const pastColumns: readonly Column<EventResource>[] = [
  { header: 'app.name-of', width: 'minmax(12rem, 2fr)', sortBy: ({ name }) => name },
  { header: 'events.ended', cell: ({ endsAt }) => format.date(endsAt), sortBy: ({ endsAt }) => endsAt },
  {
    header: 'people.tab',
    align: 'end',
    cell: ({ counts }) => (counts === null ? say('events.deleted') : format.number(counts.people)),
    sortBy: ({ counts }) => counts?.people ?? -1,
  },
];

interface CardProps {
  readonly to: string;
  readonly name: string;
  readonly badge: ReactNode;
  readonly when?: string;
  /** Null: the event has no list. */
  readonly counts: { readonly people: number; readonly devices: number } | null;
}

const cardOfEvent = (event: EventResource): CardProps => ({
  to: `/events/${event.eventId}`,
  name: event.name,
  badge: <EventStateBadge event={event} />,
  when: createZonedFormat(event.timeZone).shortRange(event.startsAt, event.endsAt),
  counts: event.counts,
});

const cardOfList = ({ listId, name, state, people, devices }: ItemOf<'listLists'>): CardProps => ({
  to: `/lists/${listId}`,
  name,
  badge: <ListStateBadge state={state} />,
  counts: { people, devices },
});

interface GroupProps {
  readonly id: string;
  readonly title: string;
  readonly more?: ReactNode;
  readonly cards: readonly CardProps[];
}

function Group({ id, title, more, cards }: GroupProps) {
  if (cards.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <header className="svcd-row svcd-between svcd-group-header">
        <h2 id={id}>{title}</h2>
        {more}
      </header>
      <ul className="svcd-cards svcd-plain">
        {cards.map(({ to, name, badge, when, counts }) => (
          <li key={to} className="svcd-card svcd-panel">
            <p className="svcd-row svcd-between">
              <Link className="svcd-card-link" to={to}>
                {name}
              </Link>
              {badge}
            </p>
            {when !== undefined && <p>{when}</p>}
            {counts === null ? (
              <p className="svcd-muted">{say('events.without-list')}</p>
            ) : (
              <p className="svcd-muted svcd-number">{say('events.counts', counts)}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where what an event lacks is mended. */
const mends: Readonly<Record<Attention, readonly [tab: string, text: TextKey]>> = {
  doors: ['doors', 'doors.alert-link'],
  'no-list': ['settings', 'events.step-list'],
  'no-organiser': ['looks', 'events.mend-no-organiser'],
  nobody: ['guests', 'events.step-guests'],
  'no-door': ['doors', 'events.step-door'],
};

interface AttentionProps {
  readonly events: readonly EventResource[];
  readonly lists: readonly ItemOf<'listLists'>[];
}

function NeedAttention({ events, lists }: AttentionProps) {
  const now = useNow();
  const near = events.flatMap((event) => (event.listId !== null && isSoon(event, now) ? [event.listId] : []));
  const doorsOf = useDoorsOfLists([...near, ...lists.map(({ listId }) => listId)]);
  const places = [
    ...events.map((event) => {
      const doors = doorsOf.get(event.listId ?? '') ?? null;
      const { eventId, name, state } = event;
      return { at: `/events/${eventId}`, name, doors, state, lacks: attentionOf(event, doors, now) };
    }),
    ...lists.map(({ listId, name }) => {
      const doors = doorsOf.get(listId) ?? [];
      const isInTrouble = troubledDoors('ongoing', doors).length > 0;
      const lacks: readonly Attention[] = isInTrouble ? ['doors'] : [];
      return { at: `/lists/${listId}`, name, doors, state: 'ongoing' as const, lacks };
    }),
  ].filter(({ lacks }) => lacks.length > 0);
  if (places.length === 0) return null;
  const tone = places.some(({ state, doors }) => isGrave(troubledDoors(state, doors ?? []))) ? 'bad' : 'warning';
  return (
    <section className="svcd-notice" data-tone={tone} aria-labelledby="attention">
      <Icon of={TriangleAlert} />
      <div>
        <h2 id="attention" className="svcd-notice-title">
          {say('events.attention')}
        </h2>
        <ul className="svcd-plain">
          {places.map(({ at, name, lacks, ...place }) => (
            <li key={at}>
              <strong>{name}</strong>
              {lacks.map((lack) => {
                const [tab, text] = mends[lack];
                return (
                  <div key={lack}>
                    {lack === 'doors' ? troubleOf(place.state, place.doors ?? []) : say(`events.lacks-${lack}`)}{' '}
                    <Link to={`${at}/${tab}`}>{say(text)}</Link>
                  </div>
                );
              })}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** What else needs somebody; doors that are silent are told of with their events. */
function Notices() {
  const { data } = useRead('listNotices', undefined, { everyMs: 60_000 });
  return data?.items.map(({ kind, eventId, listId, place, subject, since, until }) => {
    if (kind === 'door-offline') return null;
    const of = eventId === null ? `/lists/${listId}` : `/events/${eventId}`;
    const to = { 'lease-ending': `${of}/doors`, 'enrolment-goal': of, 'webhook-failing': '/webhooks' };
    const at = (time: string | null) => (time === null ? '' : format.dateTime(time));
    return (
      <Notice
        key={`${kind} ${listId} ${subject}`}
        tone={kind === 'enrolment-goal' ? 'good' : 'warning'}
        title={say(`notices.${kind}`, { place: place ?? '', subject })}
        text={say(`notices.${kind}-help`, { subject, since: at(since), until: at(until) })}
        action={<Link to={to[kind]}>{say('notices.look')}</Link>}
      />
    );
  });
}

function OpenDraft() {
  const draft = useDraftStorage<Draft>('event').load();
  const name = draft?.event.name.trim() ?? '';
  if (draft === null || name === '' || draft.step === 'test') return null;
  return (
    <Notice
      title={say('events.draft', { name })}
      action={<ButtonLink to="/events/new" text={say('app.go-on')} />}
      text={say('events.draft-help')}
    />
  );
}

function FirstStep() {
  const can = useCan();
  return (
    <Empty
      title={say('events.empty')}
      icon={CalendarDays}
      action={
        can('events:write') && (
          <div className="svcd-row">
            <ButtonLink to="/events/new" kind="primary" icon={Plus} text={say('events.first')} />
            {can('lists:write') && <ButtonLink to="/lists/new" text={say('events.first-list')} />}
          </div>
        )
      }
      text={
        <>
          <p>{say('events.empty-help')}</p>
          <ol className="svcd-bullets svcd-ways">
            <li>{say('events.way-1')}</li>
            <li>{say('events.way-2')}</li>
            <li>{say('events.way-3')}</li>
          </ol>
        </>
      }
    />
  );
}
