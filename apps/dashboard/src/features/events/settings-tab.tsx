import { useSay } from '../../app/language.tsx';
import { Section } from '../../components/section.tsx';

export function SettingsTab() {
  const say = useSay();
  return <Section title={say('events.settings')}>{null}</Section>;
}
