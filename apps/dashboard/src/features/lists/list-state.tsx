import type { ListState } from '@svc/protocol';
import { useSay } from '../../app/language.tsx';
import { Badge } from '../../components/badge.tsx';

const tones = { open: 'good', closed: 'warning', ended: 'neutral' } as const;

/** Whether a list takes people, in a word. */
export function ListStateBadge({ state }: { readonly state: ListState }) {
  const say = useSay();
  return <Badge tone={tones[state]}>{say(`lists.state-${state}`)}</Badge>;
}
