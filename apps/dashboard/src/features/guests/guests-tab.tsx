import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function GuestsTab() {
  const say = useSay();
  return <Section title={say('guests.tab')}>{null}</Section>;
}
