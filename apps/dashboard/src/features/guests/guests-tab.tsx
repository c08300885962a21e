import './guests.css';
import type { GuestSummary } from '@svc/protocol';
import { Navigate } from '@tanstack/react-router';
import { Link2, Send, UserRound, UsersRound } from 'lucide';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { useCan, useRead } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Bars, Chart } from '../../components/chart.tsx';
import { Button, ButtonLink } from '../../components/controls.tsx';
import { Notice, Unread } from '../../components/status.tsx';
import { listTab, useCurrentList } from '../../components/tabbed-page.tsx';
import { say, useNow } from '../../text/index.ts';
import { enrolledOf, funnelOverTime } from './funnel.ts';
import { GuestList, ImportLink } from './guest-list.tsx';
import { Invite } from './invite.tsx';
import { linkRunOf, watchLinkRuns } from './link-runs.ts';
import { LinksMade } from './links-made.tsx';
import { MailingsSection } from './mailings-section.tsx';

const MINUTE_MS = 60_000;

export const GuestsTab = listTab(UsersRound, 'app.no-list', 'guests.no-list-help', Guests);

/** Why nobody can be invited; null where guests can be. */
function useObstacle(eventId: string, listId: string) {
  const event = useRead('getEvent', { params: { eventId } });
  const list = useRead('getList', { params: { listId } });
  const now = useNow(MINUTE_MS);
  if (event.data === undefined || list.data === undefined) return null;
  if (Date.parse(event.data.endsAt) <= now) return 'over';
  if (list.data.endedAt !== null) return 'ended';
  if (list.data.enrollmentClosed) return 'closed';
  return event.data.widget === null ? 'no-organiser' : null;
}

function Guests({ listId }: { readonly listId: string }) {
  const { eventId: current } = useCurrentList();
  const eventId = current ?? '';
  const can = useCan();
  const [isInviting, setInviting] = useState<boolean | null>(null);
  const run = useSyncExternalStore(watchLinkRuns, () => linkRunOf(eventId));
  const summary = useRead('getGuestSummary', { params: { listId } });
  const obstacle = useObstacle(eventId, listId);
  if (isInviting === true) return <Invite listId={listId} eventId={eventId} onClose={() => setInviting(false)} />;
  if (summary.error !== null || summary.data === undefined) return <Unread query={summary} />;
  const invite = can('people:write') && obstacle === null && run?.state !== 'running' && (
    <Button
      kind="primary"
      icon={Send}
      autoFocus={isInviting === false && run === null}
      onPress={() => setInviting(true)}
      text={say('events.step-guests')}
    />
  );
  const isEmpty = summary.data.guests === 0;
  const toImport = can('people:write') && <ImportLink listId={listId} eventId={eventId} />;
  return (
    <div className="svcd-stack">
      {obstacle === 'no-organiser' ? (
        <Notice
          tone="warning"
          title={say('guests.no-organiser')}
          action={<ButtonLink to="/events/$eventId/looks" params={{ eventId }} text={say('events.looks')} />}
          text={say('guests.no-organiser-help')}
        />
      ) : (
        obstacle !== null && <Notice title={say(`guests.obstacle.${obstacle}`)} />
      )}
      {run !== null && <LinksMade eventId={eventId} run={run} takesFocus={isInviting === false} />}
      {isEmpty && run === null ? (
        <Empty
          icon={Link2}
          title={say('guests.empty')}
          text={say('guests.empty-help')}
          action={
            <div className="svcd-row">
              {invite}
              {toImport}
            </div>
          }
        />
      ) : (
        <FunnelSection summary={summary.data} actions={invite} />
      )}
      <MailingsSection eventId={eventId} canRemind={can('people:write') && obstacle === null} />
      {!isEmpty && <GuestList listId={listId} eventId={eventId} canRenew={obstacle === null} />}
    </div>
  );
}

function FunnelSection({ summary, actions }: { readonly summary: GuestSummary; readonly actions: ReactNode }) {
  const now = useNow(MINUTE_MS);
  const over = funnelOverTime(summary.days, new Date(now).toISOString());
  return (
    <Section title={say('guests.funnel')} lead={say('guests.funnel-lead')} actions={actions}>
      <Bars
        whole={summary.guests}
        bars={[
          { label: say('guests.all'), value: summary.guests },
          { label: say('guests.opened'), value: summary.opened },
          { label: say('guests.state.enrolled'), value: enrolledOf(summary), tone: 'good' },
        ]}
      />
      {over.times.length > 1 ? (
        <Chart
          label={say('guests.chart')}
          times={over.times}
          series={[
            { name: say('guests.all'), values: over.guests, tone: 'accent' },
            { name: say('guests.opened'), values: over.opened, tone: 'warning' },
            { name: say('guests.state.enrolled'), values: over.enrolled, tone: 'good' },
            { name: say('guests.state.declined'), values: over.declined, tone: 'bad' },
          ]}
        />
      ) : (
        <Notice text={say('guests.chart-later')} />
      )}
    </Section>
  );
}

/** The people of an ongoing list; the guests of an event have a tab of their own. */
export const PeopleTab = listTab(UserRound, 'app.no-list', 'guests.no-list-help', People);

function People({ listId }: { readonly listId: string }) {
  const { eventId } = useCurrentList();
  const can = useCan();
  if (eventId !== null) return <Navigate to={`/events/${eventId}/guests` as string} replace />;
  const action = can('people:write') && <ImportLink listId={listId} eventId={null} />;
  const empty = (
    <Empty icon={UserRound} title={say('people.empty')} action={action} text={say('people.empty-list-help')} />
  );
  return <GuestList listId={listId} eventId={null} canRenew={false} empty={empty} />;
}
