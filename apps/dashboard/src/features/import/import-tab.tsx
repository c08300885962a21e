import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function ImportTab() {
  const say = useSay();
  return <Section title={say('import.tab')}>{null}</Section>;
}
