/**
 * The frame's address. Everything the page needs before its first paint is in the fragment, which browsers do not send
 * to servers: `#svce_…` in a guest link, `#svce_…&theme=dark&accent=%23aa3300` in a frame. A guest link's looks are its
 * event's; looks behind the token of an older link are ignored.
 */

/** The organiser's settings, unchecked: the page validates each before using it. */
export const settingNames = ['theme', 'accent', 'radius', 'font', 'language'] as const;
export type SettingName = (typeof settingNames)[number];
export type SettingTexts = Partial<Readonly<Record<SettingName, string>>>;

/** Whether a text has the form of an enrolment token. */
export const isTokenLike = (text: string): boolean => /^svce_\w{1,100}$/.test(text);

/** Longer values are ignored. */
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

/** @param hash `location.hash` @returns the token: null if nothing has the form of one */
export function readFragment(hash: string): { readonly token: string | null; readonly settings: SettingTexts } {
  const [token = '', ...parts] = hash.replace(/^#/, '').split('&');
  const given = new URLSearchParams(parts.join('&'));
  const settings: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const value = given.get(name);
    if (value !== null && value !== '' && value.length <= LONGEST_SETTING) settings[name] = value;
  }
  return { token: isTokenLike(token) ? token : null, settings };
}

/** Name in the tab's storage. */
const KEPT = 'svc-link';

type View = Pick<Window, 'history' | 'location' | 'parent' | 'sessionStorage'>;

/** @param act not carried out in a frame, nor where the browser forbids storage */
function inTab<T>(view: View, act: (storage: Storage) => T): T | null {
  try {
    return view.parent === view ? act(view.sessionStorage) : null;
  } catch {
    return null;
  }
}

/** The address's fragment, or the one that the tab has kept of it. */
export const heldFragment = (view: View): string =>
  view.location.hash || (inTab(view, (storage) => storage.getItem(KEPT)) ?? '');

/** Lets the tab keep a guest link's fragment for a reload. @param fragment null: forgets it @returns whether it could */
export function keepFragment(view: View, fragment: string | null): boolean {
  const keep = (storage: Storage) => (fragment === null ? storage.removeItem(KEPT) : storage.setItem(KEPT, fragment));
  return inTab(view, keep) !== null;
}

/**
 * Takes the fragment out of a guest link's address, so that neither the address bar nor the tab's history shows the
 * token, and lets the tab keep it. It stays where the tab cannot, and in a frame's address, which nobody sees.
 * @returns as {@link heldFragment}
 */
export function takeFragment(view: View): string {
  const fragment = heldFragment(view);
  if (view.location.hash !== '' && keepFragment(view, fragment)) {
    view.history.replaceState(view.history.state, '', view.location.pathname + view.location.search);
  }
  return fragment;
}
