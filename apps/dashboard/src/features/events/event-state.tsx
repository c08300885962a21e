import type { EventResource } from '@svc/protocol';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.ts';
import { Badge } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';

/** A hook for the tabs of an event's page, which has read the event. */
export function useEvent() {
  const { eventId = '' } = useParams({ strict: false }) as { readonly eventId?: string };
  return useRead('getEvent', { params: { eventId } });
}

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

export type Attention = 'no-list' | 'no-organiser' | 'nobody' | 'no-door';

/** What an event that has not ended lacks, the most urgent first; nothing for one that is far off. */
export function attentionOf(event: EventResource, nowMs: number): readonly Attention[] {
  if (event.state === 'over') return [];
  if (event.listId === null) return ['no-list'];
  const isSoon = Date.parse(event.startsAt) - nowMs <= SOON_MS;
  const lacks: Attention[] = [];
  if (event.widget === null) lacks.push('no-organiser');
  if (isSoon && event.counts?.devices === 0) lacks.push('no-door');
  if (isSoon && event.counts?.people === 0) lacks.push('nobody');
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
