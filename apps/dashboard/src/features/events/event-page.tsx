import './events.css';
import type { DeviceResource, EventResource } from '@svc/protocol';
import { useParams } from '@tanstack/react-router';
import { Copy } from 'lucide';
import { useCan, useRead } from '../../api/hooks.ts';
import { Facts, Figure, NextSteps, Section, type StepItem } from '../../components/blocks.tsx';
import { Button, Link } from '../../components/controls.tsx';
import { useDialog } from '../../components/form.tsx';
import { ListStateBadge, Loading, Notice, Unread } from '../../components/status.tsx';
import { TabbedPage, UnreadPage } from '../../components/tabbed-page.tsx';
import { say } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone } from '../../text/places.ts';
import { DoorAlert, useDoors } from '../doors/door-alert.tsx';
import { ArrivalsSection } from '../lists/arrivals.tsx';
import { CopyEvent } from './copy-event.tsx';
import { EventStateBadge, hasPairedDoor, isOpen, useEvent } from './event-state.tsx';
import { TEST_TICKET, TestGuest } from './test-guest.tsx';

export function EventPage() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  const event = useRead('getEvent', { params: { eventId } }, { everyMs: 60_000 });
  const zoned = createZonedFormat(event.data?.timeZone ?? null);
  const can = useCan();
  const { dialog, open } = useDialog();
  const above = <Link to="/">{say('events.title')}</Link>;
  if (event.error !== null) return <UnreadPage query={event} title={say('events.event')} above={above} />;
  if (event.data === undefined) return <Loading />;
  const { name, startsAt, endsAt, listId } = event.data;
  const copied = event.data;
  const copy = can('events:write') && (
    <Button kind="quiet" icon={Copy} onPress={() => open(<CopyEvent event={copied} />)} text={say('app.copy')} />
  );
  const place = zoned.timeZone === ownTimeZone() ? '' : ` (${zoned.timeZone.replaceAll('_', ' ')})`;
  return (
    <>
      <TabbedPage
        current={{ eventId, listId }}
        title={name}
        above={above}
        beside={<EventStateBadge event={event.data} />}
        actions={copy}
        lead={zoned.range(startsAt, endsAt) + place}
      />
      {dialog}
    </>
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
    // Of more than a page of doors nothing is said of all.
    doors: query.data?.nextCursor === null ? doors : null,
    until: list?.retentionDeadline ? createZonedFormat(timeZone).exact(list.retentionDeadline) : null,
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
  const o = { event, ...useOverview(event) };
  const { list, doors, tickets } = o;
  const { counts, eventId, listId, state, widget } = event;
  const First = { upcoming: Before, running: During, over: After }[state];
  return (
    <>
      <First {...o} />
      {listId !== null && (
        <Section title={say('lists.numbers')}>
          <Facts
            facts={{
              'guests.state.enrolled': (
                <>
                  <Figure of={counts?.people ?? 0} />
                  <span className="svcd-help">{say('events.invited', { count: tickets.invited })}</span>
                </>
              ),
              'doors.tab': (
                <>
                  <Figure of={counts?.devices ?? 0} />
                  {state === 'running' && doors !== null && (
                    <span className="svcd-help">{say('events.up-to-date', { count: upToDateOf(doors) })}</span>
                  )}
                </>
              ),
              'lists.enrolment': list === undefined || state === 'over' ? null : <ListStateBadge state={list.state} />,
              'events.faces-until': o.until,
              'events.arrivals-to': list?.checkInUrl ? new URL(list.checkInUrl).host : null,
            }}
          />
        </Section>
      )}
      {state !== 'upcoming' && list !== undefined && <ArrivalsSection listId={list.listId} endsAt={event.endsAt} />}
      {state === 'upcoming' && listId !== null && widget !== null && isOpen(event) && (
        <Section title={say('events.test')} lead={say('events.test-lead')}>
          <TestGuest eventId={eventId} listId={listId} />
        </Section>
      )}
    </>
  );
}

const upToDateOf = (doors: readonly DeviceResource[]) => doors.filter(({ state }) => state === 'fresh').length;

/** In their order; those of enrolment while the list takes guests. What guests see can only be tried before they come. */
function stepsOf({ event, doors, tried, hasGuestLinks }: PhaseProps): readonly StepItem[] {
  const { eventId, listId, widget, counts, state } = event;
  const at = (tab: string) => ({ to: `/events/$eventId/${tab}`, params: { eventId } });
  const scope = 'events:write';
  const isInvited = hasGuestLinks || (counts?.people ?? 0) > tried;
  const test = { of: 'events.step-test', scope, isDone: tried > 0, to: widget === null ? at('looks') : null } as const;
  const enrolment: readonly StepItem[] = [
    { of: 'events.step-organiser', scope, isDone: widget !== null, to: at('looks') },
    ...(state === 'upcoming' ? [test] : []),
    { of: 'events.step-guests', scope, isDone: isInvited, to: at('guests') },
  ];
  return [
    { of: 'events.step-list', scope, isDone: listId !== null, to: at('settings') },
    ...(isOpen(event) ? enrolment : []),
    { of: 'events.step-door', scope: 'devices:write', isDone: hasPairedDoor(event, doors), to: at('doors') },
  ];
}

function Before(o: PhaseProps) {
  const ready = <Notice tone="good" title={say('events.all-ready')} text={say('events.all-ready-help')} />;
  return <NextSteps steps={stepsOf(o)} ready={ready} />;
}

function During(o: PhaseProps) {
  const { list, doors, until } = o;
  const { eventId, endsAt } = o.event;
  const all = doors?.length ?? 0;
  const settings = { to: '/events/$eventId/settings', params: { eventId } };
  return (
    <>
      <DoorAlert isElsewhere />
      {all > 0 && upToDateOf(doors ?? []) === all && (
        <Notice tone="good" title={say('events.doors-good', { count: all })} text={say('events.doors-good-help')} />
      )}
      <NextSteps steps={stepsOf(o)} />
      {until !== null && list?.retentionDeadline === endsAt && (
        <Notice
          tone="warning"
          title={say('events.ends-sharp')}
          action={<Link {...settings}>{say('events.move-end')}</Link>}
          text={say('events.ends-sharp-help', { until })}
        />
      )}
    </>
  );
}

function After({ event: { listId }, until }: PhaseProps) {
  const mayExport = useCan()('consents:read');
  const search = listId === null ? {} : { list: listId };
  const words =
    until === null
      ? { title: say('events.over-deleted'), text: say('events.over-deleted-help') }
      : { title: say('events.over-kept', { until }), text: say('events.over-kept-help') };
  const link = mayExport && (
    <Link to="/consents" search={search}>
      {say('events.keep-consents')}
    </Link>
  );
  return <Notice tone={listId === null ? 'good' : 'info'} {...words} action={link} />;
}
