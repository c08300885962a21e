import type { EventResource } from '@svc/protocol';
import { useFormat, useSay } from '../../app/language.tsx';
import { Badge } from '../../components/badge.tsx';

const tones = { upcoming: 'accent', running: 'good', over: 'neutral' } as const;

/** Where an event is in its time: «in 3 days», «Running», «Over». */
export function EventStateBadge({ event }: { readonly event: EventResource }) {
  const say = useSay();
  const format = useFormat();
  const words =
    event.state === 'upcoming'
      ? say('events.starts', { when: format.relative(event.startsAt) })
      : say(`events.state-${event.state}`);
  return <Badge tone={tones[event.state]}>{words}</Badge>;
}
