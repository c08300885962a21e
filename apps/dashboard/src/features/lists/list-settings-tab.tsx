import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function ListSettingsTab() {
  const say = useSay();
  return <Section title={say('lists.settings')}>{null}</Section>;
}
