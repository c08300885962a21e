import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function OverviewTab() {
  const say = useSay();
  return <Section title={say('events.overview')}>{null}</Section>;
}
