import type { DeviceResource, EventResource } from '@svc/protocol';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { Badge } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';
import { ownTimeZone, toLocal } from '../../text/places.ts';
import { troubledDoors } from '../doors/door-alert.tsx';
import type { EventFields } from './event-flow.ts';

type Door = Pick<DeviceResource, 'state'>;

/** A hook for the tabs of an event's page, which has read the event. */
export function useEvent() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  return useRead('getEvent', { params: { eventId } });
}

/** An event as its form has it. */
export const fieldsOf = ({ name, startsAt, endsAt, timeZone, place, country }: EventResource): EventFields => {
  const zone = timeZone ?? ownTimeZone();
  const times = { startsAt: toLocal(startsAt, zone), endsAt: toLocal(endsAt, zone) };
  return { name, ...times, timeZone: zone, place: place ?? '', country: country ?? '' };
};

const tones = { upcoming: 'accent', running: 'good', over: 'neutral' } as const;

export function EventStateBadge({ event }: { readonly event: EventResource }) {
  const words =
    event.state === 'upcoming'
      ? say('events.starts', { when: format.relative(event.startsAt) })
      : say(`events.state-${event.state}`);
  return <Badge tone={tones[event.state]}>{words}</Badge>;
}

const DAY_MS = 86_400_000;
/** What is not there by then is told on the first page. */
const SOON_MS = 7 * DAY_MS;

export type Attention = 'doors' | 'no-list' | 'no-organiser' | 'nobody' | 'no-door';

export const isSoon = (event: EventResource, nowMs: number): boolean =>
  event.state !== 'over' && Date.parse(event.startsAt) - nowMs <= SOON_MS;

/** Whether a device can check people in, or has been able to. @param doors null: not known, only how many there are */
export const hasPairedDoor = ({ counts }: EventResource, doors: readonly Door[] | null): boolean =>
  doors === null ? (counts?.devices ?? 0) > 0 : doors.some(({ state }) => state !== 'never-synced');

/** Whether guests can still enrol, or will be able to. */
export const isOpen = ({ listState }: EventResource): boolean => listState !== 'closed' && listState !== 'ended';

/** What an event that has not ended lacks, the most urgent first; of one that is far off, what guests need. */
export function attentionOf(event: EventResource, doors: readonly Door[] | null, nowMs: number): readonly Attention[] {
  if (event.state === 'over') return [];
  if (event.listId === null) return ['no-list'];
  const lacks: Attention[] = [];
  if (troubledDoors(event.state, doors ?? []).length > 0) lacks.push('doors');
  if (isOpen(event) && event.widget === null) lacks.push('no-organiser');
  // Doors that are not paired are in trouble while the event runs.
  if (isSoon(event, nowMs) && lacks[0] !== 'doors' && !hasPairedDoor(event, doors)) lacks.push('no-door');
  if (isOpen(event) && isSoon(event, nowMs) && event.counts?.people === 0) lacks.push('nobody');
  return lacks;
}

/** Running and upcoming ones by their start; those that are over, the latest first. */
export function inOrder(events: readonly EventResource[]): readonly EventResource[] {
  return [...events].sort((one, other) =>
    one.state === 'over' && other.state === 'over'
      ? other.endsAt.localeCompare(one.endsAt)
      : one.startsAt.localeCompare(other.startsAt),
  );
}
