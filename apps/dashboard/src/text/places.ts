import { parseAbsolute, parseDateTime, toCalendarDateTime, toZoned } from '@internationalized/date';
import { attempt } from '@svc/page-kit';
import { countries as countryCodes } from '@svc/protocol';
import { format, say } from './index.ts';

/** Days and times at an event are those of its place, whoever looks at them from wherever. */

const HOUR_MS = 3_600_000;
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every time zone that the browser knows, with this machine's and another one, for a choice. */
export function timeZones(other: string): readonly string[] {
  const all = attempt(() => Intl.supportedValuesOf('timeZone'), []);
  return [...new Set([other, ownTimeZone()])].filter((zone) => !all.includes(zone)).concat(all);
}

/** A time zone as people read it: «Europe/Berlin (GMT+2)». @param at ISO 8601, as offsets change in a year */
export function nameTimeZone(timeZone: string, at: string): string {
  const parts = new Intl.DateTimeFormat(format.locale, { timeZone, timeZoneName: 'shortOffset' }).formatToParts(
    new Date(at),
  );
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${timeZone.replaceAll('_', ' ')} (${offset})`;
}

/**
 * The instant of a wall clock's time at a place. A time that a change of clocks skips is the one after it, and of one
 * that comes twice it is the first.
 * @param local `2026-06-20T18:00`, the value of a `datetime-local` input
 * @returns ISO 8601 in UTC; null for what is no time
 */
export function toInstant(local: string, timeZone: string): string | null {
  if (!LOCAL.test(local)) return null;
  try {
    return toZoned(parseDateTime(local), timeZone, 'compatible').toDate().toISOString();
  } catch {
    return null;
  }
}

/** The reverse: the wall clock's time at a place, to a minute. @param at ISO 8601 */
export function toLocal(at: string, timeZone: string): string {
  return toCalendarDateTime(parseAbsolute(at, timeZone)).toString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** The proposal for a new event: in four weeks, from six to eleven in the evening. */
export function proposedTimes(nowMs: number, timeZone: string): { readonly startsAt: string; readonly endsAt: string } {
  const day = toLocal(new Date(nowMs + 28 * 24 * HOUR_MS).toISOString(), timeZone).slice(0, 'yyyy-mm-dd'.length);
  return { startsAt: `${day}T18:00`, endsAt: `${day}T23:00` };
}

/** Times as the page's language writes them, at a place. Times are ISO 8601. @param zone null: of this machine */
export function createZonedFormat(zone: string | null, nowMs = Date.now()) {
  const timeZone = zone ?? ownTimeZone();
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(format.locale, { timeZone, ...options });
  const yearOf = (at: string | number) => formatOf({ year: 'numeric' }).format(new Date(at));
  const isThisYear = (at: string) => yearOf(at) === yearOf(nowMs);
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  return {
    timeZone,
    /** «20 June 2026 at 18:00 CEST»: exact, for what is promised to people. */
    exact: (at: string) =>
      formatOf({ year: 'numeric', month: 'long', day: 'numeric', ...time, timeZoneName: 'short' }).format(new Date(at)),
    /** «20 Jun 2026, 18:00 – 23:00» */
    range: (from: string, to: string) =>
      formatOf({ dateStyle: 'medium', timeStyle: 'short' }).formatRange(new Date(from), new Date(to)),
    /** «Sat 20 Jun, 18:00 – 23:00»; the year only where it is another than this one. */
    shortRange(from: string, to: string) {
      const year = isThisYear(from) && isThisYear(to) ? {} : { year: 'numeric' as const };
      const options = { weekday: 'short', month: 'short', day: 'numeric', ...time, ...year } as const;
      return formatOf(options).formatRange(new Date(from), new Date(to));
    },
  };
}

/** None, and the countries by their names in the page's language, in its order. */
export function countryOptions(): readonly { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames([format.locale], { type: 'region' });
  const collator = new Intl.Collator(format.locale);
  const countries = countryCodes
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .sort((one, other) => collator.compare(one.label, other.label));
  return [{ value: '', label: say('events.country-none') }, ...countries];
}
