import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function PeopleTab() {
  const say = useSay();
  return <Section title={say('people.tab')}>{null}</Section>;
}
