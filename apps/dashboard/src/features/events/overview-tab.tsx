import { useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { Facts } from '../../components/facts.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { Section } from '../../components/section.tsx';
import { DoorAlert } from '../doors/door-alert.tsx';
import { ListStateBadge } from '../lists/list-state.tsx';
import { EmbedCode } from './embed-code.tsx';
import { useEvent, useZoned } from './event-hooks.ts';
import { type StepItem, Steps } from './steps.tsx';
import { TEST_TICKET, TestGuest } from './test-guest.tsx';

const FEW = 20;

/** An event at a glance: numbers, what to do next, and how guests get in. */
export function OverviewTab() {
  const say = useSay();
  const can = useCan();
  const format = useFormat();
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
  if (event.error !== null) return <Problem error={event.error} />;
  if (event.data === undefined) return <Loading />;
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
        <Section title={say('events.next-steps')} lead={say('events.next-steps-lead')}>
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
