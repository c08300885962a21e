import { createSay, inRegion, lookUpLanguage, type Messages, pageStorage, type Say } from '@svc/page-kit';
import { useEffect, useState } from 'react';
import type en from './generated/en.json';

/** A text of the dashboard: `feature.name`. */
export type TextKey = keyof typeof en;

/** Each column of `texts.tsv` is a language; a browser fetches the one that it shows. */
const files = import.meta.glob<Messages<TextKey>>('./*.json', { base: './generated', import: 'default' });

/** BCP 47. */
export const languages: readonly string[] = Object.keys(files).map((path) => path.slice('./'.length, -'.json'.length));

/** BCP 47: of the whole page, from {@link speak} on. Another one is chosen by loading the page again. */
export let language = 'en';
let spoken: Say<TextKey> = () => '';
let messages: Partial<Messages<TextKey>> = {};

const sayNow: Say<TextKey> = (key, values) => spoken(key, values);

/** A text, with its values: `say('people.count', { count })`. */
export const say = Object.assign(sayNow, {
  /** Whether there is a text for what the service names: an error's code, an act of a later version. */
  has: (key: string): key is TextKey => Object.hasOwn(messages, key),
});

/** A text that leaves the page, as in a file: with common hyphens in the place of those that end no line. */
export const plain = (text: string): string => text.replaceAll('\u2011', '-').replace(/[\u2068\u2069]/g, '');

/** The words of a field, or of one of its options: its name, and what to enter where there is a text `<key>-help`. */
export function words(key: TextKey): { readonly label: string; readonly help?: string } {
  const help = `${key}-help`;
  return { label: say(key), ...(say.has(help) ? { help: say(help) } : {}) };
}

/** Dates and numbers as the language and the browser's region write them. Times are ISO 8601. */
export let format = createFormat('en');

/**
 * Sets the language of the page, before it is drawn.
 * @param wanted BCP 47 tags in order of preference, for how the region writes dates
 * @throws if the texts cannot be fetched
 */
export async function speak(tag: string, wanted: readonly string[] = []): Promise<void> {
  const loaded = await files[`./${tag}.json`]?.();
  if (loaded === undefined) throw new Error(`no texts in ${tag}`);
  language = tag;
  messages = loaded;
  spoken = createSay(tag, loaded);
  format = createFormat(inRegion(tag, wanted));
}

const STORED = 'svcd-language';

/** The language that was chosen on this device, else that of the browser; English if there is none of them. */
export const preferredLanguage = (): string =>
  lookUpLanguage([pageStorage.getItem(STORED) ?? [], ...navigator.languages].flat(), languages) ?? 'en';

/** Keeps the choice on this device, and loads the page in it. */
export function chooseLanguage(tag: string): void {
  pageStorage.setItem(STORED, tag);
  location.reload();
}

const UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** @param locale BCP 47 with a region */
function createFormat(locale: string) {
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  return {
    locale,
    /** «14 May 2026» */
    date: (at: string) => date.format(new Date(at)),
    /** «14 May» */
    day: (at: string) => day.format(new Date(at)),
    /** «18:30» */
    time: (at: string) => time.format(new Date(at)),
    /** «14 May 2026, 18:30» */
    dateTime: (at: string) => dateTime.format(new Date(at)),
    /** «in 3 days», «2 hours ago»; to a minute. */
    relative(at: string, nowMs = Date.now()) {
      const differenceMs = Date.parse(at) - nowMs;
      const [unit, ms] = UNITS.find(([, size]) => Math.abs(differenceMs) >= size) ?? ['minute', 60_000];
      return relative.format(Math.trunc(differenceMs / ms), unit);
    },
    number: (value: number) => number.format(value),
    /** 0 to 1 as «12 %». */
    percent: (share: number) => percent.format(share),
  };
}

/** The time, anew this often, for texts such as «3 minutes ago». */
export function useNow(everyMs = 30_000): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}

export const TYPING_MS = 250;

/** The value, once it has not changed for a moment. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
