import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function DoorsTab() {
  const say = useSay();
  return <Section title={say('doors.tab')}>{null}</Section>;
}
