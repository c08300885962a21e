import './events.css';
import { useParams } from '@tanstack/react-router';
import { useCan, useRead } from '../../api/hooks.ts';
import { Facts, Figure, NextSteps, Section, type StepItem } from '../../components/blocks.tsx';
import { Link } from '../../components/controls.tsx';
import { ListStateBadge, Loading, Notice, Unread } from '../../components/status.tsx';
import { TabbedPage, UnreadPage } from '../../components/tabbed-page.tsx';
import { say } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone } from '../../text/places.ts';
import { DoorAlert } from '../doors/door-alert.tsx';
import { EventStateBadge, useEvent } from './event-state.tsx';
import { EmbedCode, TEST_TICKET, TestGuest } from './test-guest.tsx';

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

export function OverviewTab() {
  const can = useCan();
  const event = useEvent();
  const eventId = event.data?.eventId ?? '';
  const listId = event.data?.listId ?? null;
  const zoned = createZonedFormat(event.data?.timeZone ?? null);
  const lists = useRead('listLists', { query: { eventId } }, { enabled: listId !== null && can('lists:read') });
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
  const tried = tests.data?.items.length ?? 0;
  const isInvited =
    invited > FEW ||
    (counts?.people ?? 0) > tried ||
    (tokens.data?.items ?? []).some(({ ticketId }) => ticketId?.startsWith(TEST_TICKET) === false);
  const at = (tab: string) => ({ to: `/events/$eventId/${tab}`, params });
  const scope = 'events:write';
  const steps: readonly StepItem[] = [
    { of: 'events.step-list', scope, isDone: listId !== null, to: at('settings') },
    { of: 'events.step-organiser', scope, isDone: widget !== null, to: at('looks') },
    { of: 'events.step-test', scope, isDone: tried > 0, to: widget === null ? at('looks') : null },
    { of: 'events.step-guests', scope, isDone: isInvited, to: at('guests') },
    { of: 'events.step-door', scope: 'devices:write', isDone: (counts?.devices ?? 0) > 0, to: at('doors') },
  ];
  const until = list?.retentionDeadline ?? null;
  return (
    <>
      <DoorAlert isElsewhere />
      <Section title={say('lists.numbers')}>
        <Facts
          facts={{
            'people.tab': <Figure of={counts?.people ?? 0} />,
            'doors.tab': <Figure of={counts?.devices ?? 0} />,
            'lists.enrolment': list === undefined ? null : <ListStateBadge state={list.state} />,
            'events.faces-until': until === null ? null : zoned.exact(until),
          }}
        />
      </Section>
      {state === 'over' && (
        <Notice
          text={until === null ? say('events.over-deleted') : say('events.over-kept', { until: zoned.exact(until) })}
        />
      )}
      {state !== 'over' && <NextSteps steps={steps} />}
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
