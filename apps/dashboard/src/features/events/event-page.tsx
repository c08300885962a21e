import { format, say } from '../../text/index.ts';
import './events.css';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useCan } from '../../api/session.tsx';
import { Facts, Section, type StepItem, Steps } from '../../components/blocks.tsx';
import { Link } from '../../components/link.tsx';
import { ListStateBadge, Loading, Notice, Unread } from '../../components/status.tsx';
import { TabbedPage, UnreadPage } from '../../components/tabbed-page.tsx';
import { ownTimeZone } from '../../text/places.ts';
import { DoorAlert } from '../doors/door-alert.tsx';
import { EventStateBadge, useEvent, useZoned } from './event-state.tsx';
import { EmbedCode, TEST_TICKET, TestGuest } from './test-guest.tsx';

/** An event with its tabs. */
export function EventPage() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  const event = useRead('getEvent', { params: { eventId } }, { everyMs: 60_000 });
  const zoned = useZoned({ timeZone: event.data?.timeZone ?? null });
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

/** An event at a glance: numbers, what to do next, and how guests get in. */
export function OverviewTab() {
  const can = useCan();
  const event = useEvent();
  const eventId = event.data?.eventId ?? '';
  const listId = event.data?.listId ?? null;
  useLive('people', listId);
  useLive('guests', eventId);
  const zoned = useZoned({ timeZone: event.data?.timeZone ?? null });
  const lists = useRead(
    'listLists',
    { query: { eventId } },
    { enabled: listId !== null && can('lists:read'), everyMs: 30_000 },
  );
  const canReadPeople = listId !== null && can('people:read');
  const summary = useRead('getEnrolmentTokenSummary', { params: { eventId } }, { enabled: canReadPeople });
  const tests = useRead(
    'listPeople',
    { params: { listId: listId ?? '' }, query: { personIdPrefix: TEST_TICKET, limit: 1 } },
    { enabled: canReadPeople },
  );
  const invited = summary.data?.tickets.invited ?? 0;
  // Of a few, those for the organiser's own tries are told by their tickets.
  const tokens = useRead(
    'listEnrolmentTokens',
    { params: { eventId }, query: { limit: FEW } },
    { enabled: canReadPeople && invited > 0 && invited <= FEW },
  );
  if (event.error !== null || event.data === undefined) return <Unread query={event} />;
  const { counts, widget, state } = event.data;
  const list = lists.data?.items[0];
  const params = { eventId };
  const steps: StepItem[] = [
    {
      key: 'list',
      isDone: listId !== null,
      title: say('events.step-list'),
      text: say('events.step-list-help'),
      to: { to: '/events/$eventId/settings', params },
    },
    {
      key: 'organiser',
      isDone: widget !== null,
      title: say('events.step-organiser'),
      text: say('events.step-organiser-help'),
      to: { to: '/events/$eventId/looks', params },
    },
    {
      key: 'test',
      isDone: (tests.data?.items.length ?? 0) > 0,
      title: say('events.step-test'),
      text: say('events.step-test-help'),
      to: widget === null ? { to: '/events/$eventId/looks', params } : null,
    },
    {
      key: 'guests',
      isDone:
        invited > FEW ||
        (counts?.people ?? 0) > (tests.data?.items.length ?? 0) ||
        (tokens.data?.items ?? []).some(({ ticketId }) => ticketId?.startsWith(TEST_TICKET) === false),
      title: say('events.step-guests'),
      text: say('events.step-guests-help'),
      to: { to: '/events/$eventId/guests', params },
    },
    {
      key: 'door',
      isDone: (counts?.devices ?? 0) > 0,
      title: say('events.step-door'),
      text: say('events.step-door-help'),
      to: { to: '/events/$eventId/doors', params },
    },
  ];
  // Whoever may not take a step is not sent on it, and may lack what tells whether it is done.
  const own = steps.filter(({ key }) => can(key === 'door' ? 'devices:write' : 'events:write'));
  return (
    <>
      <DoorAlert isElsewhere />
      <Section title={say('lists.numbers')}>
        <Facts
          facts={[
            {
              label: say('lists.people'),
              value: <span className="svcd-figure">{format.number(counts?.people ?? 0)}</span>,
            },
            {
              label: say('lists.doors'),
              value: <span className="svcd-figure">{format.number(counts?.devices ?? 0)}</span>,
            },
            ...(list === undefined
              ? []
              : [{ label: say('lists.enrolment'), value: <ListStateBadge state={list.state} /> }]),
            ...(list === undefined || list.retentionDeadline === null
              ? []
              : [{ label: say('events.faces-until'), value: zoned.exact(list.retentionDeadline) }]),
          ]}
        />
      </Section>
      {state === 'over' && (
        <Notice>
          {list?.retentionDeadline == null
            ? say('events.over-deleted')
            : say('events.over-kept', { until: zoned.exact(list.retentionDeadline) })}
        </Notice>
      )}
      {state !== 'over' && own.some(({ isDone }) => !isDone) && (
        <Section title={say('events.next-steps')} lead={say('app.next-steps-lead')}>
          <Steps steps={own} />
        </Section>
      )}
      {state !== 'over' && listId !== null && widget !== null && (
        <>
          <Section title={say('events.test')} lead={say('events.test-lead')}>
            <TestGuest eventId={eventId} listId={listId} />
          </Section>
          <Section title={say('events.embed')} lead={say('events.embed-lead')}>
            <EmbedCode eventId={eventId} />
          </Section>
        </>
      )}
    </>
  );
}
