import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function LooksTab() {
  const say = useSay();
  return <Section title={say('events.looks')}>{null}</Section>;
}
