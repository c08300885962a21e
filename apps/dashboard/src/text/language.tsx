import { inRegion } from '@svc/page-kit';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { type DashboardSay, languageFor } from './index.ts';

const STORED = 'svcd-language';

/** The language that was chosen on this device, else that of the browser. */
export function preferredLanguage(): string {
  return languageFor([...[localStorage.getItem(STORED) ?? []].flat(), ...navigator.languages]);
}

/** Keeps the choice on this device, and loads the page in it. */
export function chooseLanguage(language: string): void {
  localStorage.setItem(STORED, language);
  location.reload();
}

export interface Spoken {
  readonly say: DashboardSay;
  /** BCP 47. */
  readonly language: string;
}

const LanguageContext = createContext<Spoken | null>(null);
export const LanguageProvider = LanguageContext.Provider;

function useSpoken(): Spoken {
  const spoken = useContext(LanguageContext);
  if (spoken === null) throw new Error('outside of LanguageProvider');
  return spoken;
}

/** A hook: `say('people.title')`, with values `say('people.count', { count })`. */
export const useSay = (): DashboardSay => useSpoken().say;
export const useLanguage = (): string => useSpoken().language;

/** Dates and numbers as the language and the browser's region write them. Times are ISO 8601. */
export interface Format {
  /** «14 May 2026» */
  readonly date: (at: string) => string;
  /** «14 May» */
  readonly day: (at: string) => string;
  /** «14 May 2026, 18:30» */
  readonly dateTime: (at: string) => string;
  /** «in 3 days», «2 hours ago»; to a minute. */
  readonly relative: (at: string, nowMs?: number) => string;
  readonly number: (value: number) => string;
  /** 0 to 1 as «12 %». */
  readonly percent: (share: number) => string;
  /** BCP 47 with a region. */
  readonly locale: string;
}

const UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** @param locale BCP 47 */
export function createFormat(locale: string): Format {
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  return {
    date: (at) => date.format(new Date(at)),
    day: (at) => day.format(new Date(at)),
    dateTime: (at) => dateTime.format(new Date(at)),
    relative(at, nowMs = Date.now()) {
      const differenceMs = Date.parse(at) - nowMs;
      const [unit, ms] = UNITS.find(([, size]) => Math.abs(differenceMs) >= size) ?? ['minute', 60_000];
      return relative.format(Math.trunc(differenceMs / ms), unit);
    },
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    locale,
  };
}

/** A hook: see {@link Format}. */
export function useFormat(): Format {
  const language = useLanguage();
  return useMemo(() => createFormat(inRegion(language, navigator.languages)), [language]);
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

/** The value, once it has not changed for a moment. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
