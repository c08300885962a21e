import type { GuestSummary } from '@svc/protocol';

const DAY_MS = 86_400_000;
/** Longer gaps are not filled day by day. */
const MAX_DAYS = 400;

/** Guests with a face, in whatever state. */
export const enrolledOf = ({ states }: GuestSummary): number =>
  states.enrolled + states['other-model'] + states.leaving;

/**
 * Sums up to each day, from the first one with a guest to the last one with a change or to `until`.
 * @returns midnight UTC of each day, without gaps, ISO 8601; and what had happened by its end
 */
export function funnelOverTime(days: GuestSummary['days'], until: string) {
  const firstMs = Date.parse(days[0]?.day ?? until.slice(0, 10));
  const lastMs = Math.max(Date.parse(days.at(-1)?.day ?? ''), Date.parse(until.slice(0, 10)));
  const count = days.length === 0 ? 0 : Math.min(MAX_DAYS, Math.round((lastMs - firstMs) / DAY_MS) + 1);
  const times = Array.from({ length: count }, (_, nth) => new Date(firstMs + nth * DAY_MS).toISOString());
  const sums = (what: 'guests' | 'opened' | 'enrolled' | 'declined') =>
    times.map((time) => days.reduce((sum, each) => sum + (each.day <= time.slice(0, 10) ? each[what] : 0), 0));
  return {
    times,
    guests: sums('guests'),
    opened: sums('opened'),
    enrolled: sums('enrolled'),
    declined: sums('declined'),
  };
}
