import type { PersonResource } from '@svc/protocol';
import { useSay } from '../../app/language.tsx';
import { Badge } from '../../components/badge.tsx';

const toneOf = { enrolled: 'good', 'other-model': 'warning', leaving: 'neutral' } as const;

/** What a person's record means for the doors, in a word. */
export function StateBadge({ state }: { readonly state: PersonResource['state'] }) {
  const say = useSay();
  return <Badge tone={toneOf[state]}>{say(`people.state.${state}`)}</Badge>;
}
