import type { Browser } from './service.ts';

/** Name and mark, the more special ones first: most browsers name others as well. */
const BROWSERS = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const PLATFORMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows NT\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
] as const;
/** Most characters of the header that are looked at. */
const MOST = 512;

type Marks = readonly (readonly [name: string, mark: RegExp])[];

/** What a person needs to recognise a session by, and no more. @param userAgent the header */
export function browserOf(userAgent: string | undefined): Browser {
  const text = userAgent?.slice(0, MOST) ?? '';
  const nameIn = (marks: Marks) => marks.find(([, mark]) => mark.test(text))?.[0] ?? null;
  return { browser: nameIn(BROWSERS), platform: nameIn(PLATFORMS) };
}
