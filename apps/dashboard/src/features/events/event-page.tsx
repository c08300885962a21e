import './events.css';
import type { EventResource } from '@svc/protocol';
import { useParams } from '@tanstack/react-router';
import { useCan, useRead } from '../../api/hooks.ts';
import { Facts, Figure, NextSteps, Section, type StepItem } from '../../components/blocks.tsx';
import { Link, type Target } from '../../components/controls.tsx';
import { ListStateBadge, Loading, Notice, Unread } from '../../components/status.tsx';
import { TabbedPage, UnreadPage } from '../../components/tabbed-page.tsx';
import { say, words } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone } from '../../text/places.ts';
import { DoorAlert, useDoors } from '../doors/door-alert.tsx';
import { EventStateBadge, hasPairedDoor, useEvent } from './event-state.tsx';
import { TEST_TICKET, TestGuest } from './test-guest.tsx';

export function EventPage() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  const event = useRead('getEvent', { params: { eventId } }, { everyMs: 60_000 });
  const zoned = createZonedFormat(event.data?.timeZone ?? null);
  const above = <Link to="/">{say('events.title')}</Link>;
  if (event.error !== null) return <UnreadPage query={event} title={say('events.event')} above={above} />;
  if (event.data === undefined) return <Loading />;
  const { name, startsAt, endsAt, listId } = event.data;
  const place = zoned.timeZone === ownTimeZone() ? '' : ` (${zoned.timeZone.replaceAll('_', ' ')})`;
  return (
    <TabbedPage
      current={{ eventId, listId }}
      title={name}
      above={above}
      beside={<EventStateBadge event={event.data} />}
      lead={zoned.range(startsAt, endsAt) + place}
    />
  );
}

const FEW = 20;

/** A hook: what the overview shows of an event besides the event itself, as far as the person may read it. */
function useOverview({ eventId, listId, timeZone }: EventResource) {
  const can = useCan();
  const params = { eventId };
  const lists = useRead('listLists', { query: { eventId } }, { enabled: listId !== null && can('lists:read') });
  const canReadPeople = listId !== null && can('people:read');
  const summary = useRead('getEnrolmentTokenSummary', { params }, { enabled: canReadPeople });
  const tests = useRead(
    'listPeople',
    { params: { listId: listId ?? '' }, query: { personIdPrefix: TEST_TICKET, limit: 1 } },
    { enabled: canReadPeople },
  );
  const tickets = summary.data?.tickets ?? { invited: 0 };
  // Of a few, those for the organiser's own tries are told by their tickets.
  const tokens = useRead(
    'listEnrolmentTokens',
    { params, query: { limit: FEW } },
    { enabled: canReadPeople && tickets.invited > 0 && tickets.invited <= FEW },
  );
  const { query, doors } = useDoors(listId, { enabled: can('devices:read') });
  const list = lists.data?.items[0];
  return {
    ...{ list, tickets, tried: tests.data?.items.length ?? 0 },
    ...{ doors: query.data === undefined ? null : doors, exact: createZonedFormat(timeZone).exact },
    hasGuestLinks:
      tickets.invited > FEW ||
      (tokens.data?.items ?? []).some(({ ticketId }) => ticketId?.startsWith(TEST_TICKET) === false),
  };
}

interface PhaseProps extends ReturnType<typeof useOverview> {
  readonly event: EventResource;
}

/** What an organiser needs to know first, which is something else before an event, during and after it. */
export function OverviewTab() {
  const event = useEvent();
  if (event.error !== null || event.data === undefined) return <Unread query={event} />;
  return <Overview event={event.data} />;
}

function Overview({ event }: { readonly event: EventResource }) {
  const Phase = { upcoming: Before, running: During, over: After }[event.state];
  return <Phase event={event} {...useOverview(event)} />;
}

/** In their order. What guests see can only be tried before they come. */
function stepsOf({ event, doors, tried, hasGuestLinks }: PhaseProps): readonly StepItem[] {
  const { eventId, listId, widget, counts, state } = event;
  const at = (tab: string) => ({ to: `/events/$eventId/${tab}`, params: { eventId } });
  const scope = 'events:write';
  const isInvited = hasGuestLinks || (counts?.people ?? 0) > tried;
  const test = { of: 'events.step-test', scope, isDone: tried > 0, to: widget === null ? at('looks') : null } as const;
  return [
    { of: 'events.step-list', scope, isDone: listId !== null, to: at('settings') },
    { of: 'events.step-organiser', scope, isDone: widget !== null, to: at('looks') },
    ...(state === 'upcoming' ? [test] : []),
    { of: 'events.step-guests', scope, isDone: isInvited, to: at('guests') },
    { of: 'events.step-door', scope: 'devices:write', isDone: hasPairedDoor(event, doors), to: at('doors') },
  ];
}

/** How many people are enrolled, and how many of those who were invited. */
function Enrolled({ event: { counts }, tickets }: PhaseProps) {
  return (
    <>
      <Figure of={counts?.people ?? 0} />
      {tickets.invited > 0 && <span className="svcd-help">{say('events.invited', { count: tickets.invited })}</span>}
    </>
  );
}

const untilOf = ({ list, exact }: PhaseProps): string | null =>
  list === undefined || list.retentionDeadline === null ? null : exact(list.retentionDeadline);

function Before(o: PhaseProps) {
  const { event, list, doors } = o;
  const unpaired = doors?.filter(({ state }) => state === 'never-synced').length ?? 0;
  return (
    <>
      <NextSteps
        steps={stepsOf(o)}
        ready={<Notice tone="good" title={say('events.all-ready')} text={say('events.all-ready-help')} />}
      />
      <Section title={say('lists.numbers')}>
        <Facts
          facts={{
            'guests.state.enrolled': <Enrolled {...o} />,
            'doors.tab': (
              <>
                <Figure of={event.counts?.devices ?? 0} />
                {unpaired > 0 && <span className="svcd-help">{say('events.unpaired', { count: unpaired })}</span>}
              </>
            ),
            'lists.enrolment': list === undefined ? null : <ListStateBadge state={list.state} />,
            'events.faces-until': untilOf(o),
          }}
        />
      </Section>
      {event.listId !== null && event.widget !== null && (
        <Section title={say('events.test')} lead={say('events.test-lead')}>
          <TestGuest eventId={event.eventId} listId={event.listId} />
        </Section>
      )}
    </>
  );
}

function During(o: PhaseProps) {
  const { event, list, doors } = o;
  const all = doors?.length ?? 0;
  const upToDate = doors?.filter(({ state }) => state === 'fresh').length ?? 0;
  const until = untilOf(o);
  const endsSharp = list?.retentionDeadline === event.endsAt;
  return (
    <>
      <DoorAlert isElsewhere />
      {all > 0 && upToDate === all && (
        <Notice tone="good" title={say('events.doors-good', { count: all })} text={say('events.doors-good-help')} />
      )}
      <NextSteps steps={stepsOf(o)} />
      {endsSharp && (
        <Notice
          tone="warning"
          title={say('events.ends-sharp')}
          action={
            <Link to="/events/$eventId/settings" params={{ eventId: event.eventId }}>
              {say('events.move-end')}
            </Link>
          }
          text={say('events.ends-sharp-help', { until: until ?? '' })}
        />
      )}
      <Section title={say('lists.numbers')}>
        <Facts
          facts={{
            'doors.state.fresh':
              doors === null ? null : (
                <>
                  <Figure of={upToDate} />
                  <span className="svcd-help">{say('events.of-doors', { count: all })}</span>
                </>
              ),
            'guests.state.enrolled': <Enrolled {...o} />,
            'lists.enrolment': list === undefined ? null : <ListStateBadge state={list.state} />,
            'events.faces-until': until,
            'events.arrivals-to': list?.checkInUrl ? new URL(list.checkInUrl).host : null,
          }}
        />
      </Section>
    </>
  );
}

function After(o: PhaseProps) {
  const can = useCan();
  const { eventId, listId } = o.event;
  const until = untilOf(o);
  const kept: readonly (StepItem & { readonly to: Target })[] = [
    {
      ...{ of: 'events.keep-consents', scope: 'consents:read', isDone: false },
      to: { to: '/consents', ...(listId === null ? {} : { search: { list: listId } }) },
    },
    {
      ...{ of: 'events.keep-guests', scope: 'people:read', isDone: listId === null },
      to: { to: '/events/$eventId/guests', params: { eventId } },
    },
  ];
  return (
    <>
      {listId === null ? (
        <Notice tone="good" title={say('events.over-deleted')} text={say('events.over-deleted-help')} />
      ) : (
        until !== null && <Notice title={say('events.over-kept', { until })} text={say('events.over-kept-help')} />
      )}
      {listId !== null && (
        <Section title={say('lists.numbers')}>
          <Facts facts={{ 'guests.state.enrolled': <Enrolled {...o} /> }} />
        </Section>
      )}
      <Section title={say('events.keep')}>
        <ul className="svcd-steps svcd-plain">
          {kept.map(
            ({ of, scope, isDone, to }) =>
              can(scope) &&
              !isDone && (
                <li key={of}>
                  <Link {...to}>{say(of)}</Link>
                  <p className="svcd-muted">{words(of).help}</p>
                </li>
              ),
          )}
        </ul>
      </Section>
    </>
  );
}
