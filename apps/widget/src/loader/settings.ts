import { type SettingTexts, settingNames } from '../embed/address.ts';

/** What the container's `data-svc-…` attributes say, where `given` does not. */
export function settingsOf(container: Element, given: object): SettingTexts {
  const settings: Record<string, string> = {};
  for (const name of settingNames) {
    const value = (given as Record<string, unknown>)[name] ?? container.getAttribute(`data-svc-${name}`);
    if (value != null) settings[name] = String(value);
  }
  return settings;
}
