import type { EnrolmentTokenSummary } from '@svc/protocol';

/** The numbers of an event's funnel: steps on the way of a guest, and ways out of it. */
export function funnelOf({ tokens, tickets }: EnrolmentTokenSummary) {
  const decided = tickets.enrolled + tickets.declined;
  return {
    // Each a part of the one before, by tickets.
    sent: tickets.invited,
    // Whoever enrolled has opened a link, though it may be one that is forgotten.
    opened: Math.min(tickets.invited, Math.max(tickets.opened, decided)),
    enrolled: tickets.enrolled,
    // Ways out: by tickets, and by links for what a ticket may have several of.
    declined: tickets.declined,
    failed: tokens.exhausted,
    expired: tokens.expired,
    /** Tickets whose guests have done neither yet. */
    undecided: Math.max(0, tickets.invited - decided),
  };
}

const DAY_MS = 86_400_000;
/** Longer gaps are not filled day by day. */
const MAX_DAYS = 400;

/**
 * Sums up to each day, from the first one with a link to the last one with a change or to `until`.
 * @returns midnight UTC of each day, without gaps, ISO 8601; and what had happened by its end
 */
export function funnelOverTime(days: EnrolmentTokenSummary['days'], until: string) {
  const firstMs = Date.parse(days[0]?.day ?? until.slice(0, 10));
  const lastMs = Math.max(Date.parse(days.at(-1)?.day ?? ''), Date.parse(until.slice(0, 10)));
  const count = days.length === 0 ? 0 : Math.min(MAX_DAYS, Math.round((lastMs - firstMs) / DAY_MS) + 1);
  const times = Array.from({ length: count }, (_, nth) => new Date(firstMs + nth * DAY_MS).toISOString());
  const sums = (what: 'invited' | 'opened' | 'enrolled' | 'declined') =>
    times.map((time) => days.reduce((sum, each) => sum + (each.day <= time.slice(0, 10) ? each[what] : 0), 0));
  return {
    times,
    sent: sums('invited'),
    opened: sums('opened'),
    enrolled: sums('enrolled'),
    declined: sums('declined'),
  };
}
