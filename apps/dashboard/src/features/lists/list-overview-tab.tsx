import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function ListOverviewTab() {
  const say = useSay();
  return <Section title={say('lists.overview')}>{null}</Section>;
}
