/**
 * The frame's address: what the page has to know before it paints comes in the fragment, which no server sees:
 * `#svce_…` in a guest link, `#svce_…&theme=dark&accent=%23aa3300` in a frame.
 */

/** Settings of the organiser, as they were given: the page checks each before it uses it. */
export const settingNames = ['theme', 'accent', 'radius', 'font', 'language'] as const;
export type SettingName = (typeof settingNames)[number];
export type SettingTexts = Partial<Readonly<Record<SettingName, string>>>;

/** What lets one guest enrol once, as far as its form tells. */
export const isTokenLike = (text: string): boolean => /^svce_\w{1,100}$/.test(text);

/** Longer ones mean nothing to the page. */
const LONGEST_SETTING = 200;

export function writeFragment(token: string, settings: SettingTexts): string {
  const given = new URLSearchParams();
  for (const name of settingNames) {
    const value = settings[name];
    if (value) given.set(name, value);
  }
  const query = given.toString();
  return `#${token}${query && `&${query}`}`;
}

export interface ReadFragment {
  /** Null where there is none that could be one. */
  readonly token: string | null;
  readonly settings: SettingTexts;
}

/** @param hash `location.hash` */
export function readFragment(hash: string): ReadFragment {
  const [token = '', ...parts] = hash.replace(/^#/, '').split('&');
  const given = new URLSearchParams(parts.join('&'));
  const settings: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const value = given.get(name);
    if (value !== null && value !== '' && value.length <= LONGEST_SETTING) settings[name] = value;
  }
  return { token: isTokenLike(token) ? token : null, settings };
}
