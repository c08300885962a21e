import type { EnrolmentTokenSummary } from '@svc/protocol';

/** Steps on the way of a guest, and ways out of it. */
export interface Funnel {
  /** Each a part of the one before, by tickets. */
  readonly sent: number;
  readonly opened: number;
  readonly enrolled: number;
  /** Ways out: by tickets, and by links for what a ticket may have several of. */
  readonly declined: number;
  readonly failed: number;
  readonly expired: number;
  /** Tickets whose guests have done neither yet. */
  readonly undecided: number;
}

/** The numbers of an event's funnel. Whoever enrolled has opened a link, though it may be one that is forgotten. */
export function funnelOf({ tokens, tickets }: EnrolmentTokenSummary): Funnel {
  const decided = tickets.enrolled + tickets.declined;
  return {
    sent: tickets.invited,
    opened: Math.min(tickets.invited, Math.max(tickets.opened, decided)),
    enrolled: tickets.enrolled,
    declined: tickets.declined,
    failed: tokens.exhausted,
    expired: tokens.expired,
    undecided: Math.max(0, tickets.invited - decided),
  };
}

export interface FunnelOverTime {
  /** Midnight UTC of each day, without gaps; ISO 8601. */
  readonly times: readonly string[];
  readonly sent: readonly number[];
  readonly opened: readonly number[];
  readonly enrolled: readonly number[];
  readonly declined: readonly number[];
}

const DAY_MS = 86_400_000;
/** Longer gaps are not filled day by day. */
const MAX_DAYS = 400;

/** Sums up to each day, from the first one with a link to the last one with a change or to `until`. */
export function funnelOverTime(days: EnrolmentTokenSummary['days'], until: string): FunnelOverTime {
  const first = days[0];
  const empty = { times: [], sent: [], opened: [], enrolled: [], declined: [] };
  if (first === undefined) return empty;
  const byDay = new Map(days.map((day) => [day.day, day]));
  const firstMs = Date.parse(first.day);
  const lastMs = Math.max(Date.parse(days.at(-1)?.day ?? first.day), Date.parse(until.slice(0, 10)));
  const count = Math.min(MAX_DAYS, Math.round((lastMs - firstMs) / DAY_MS) + 1);
  const sums = { invited: 0, opened: 0, enrolled: 0, declined: 0 };
  const over = { times: [] as string[], sent: [] as number[], opened: [] as number[], enrolled: [] as number[] };
  const declined: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const at = new Date(firstMs + nth * DAY_MS).toISOString();
    const day = byDay.get(at.slice(0, 10));
    sums.invited += day?.invited ?? 0;
    sums.opened += day?.opened ?? 0;
    sums.enrolled += day?.enrolled ?? 0;
    sums.declined += day?.declined ?? 0;
    over.times.push(at);
    over.sent.push(sums.invited);
    over.opened.push(sums.opened);
    over.enrolled.push(sums.enrolled);
    declined.push(sums.declined);
  }
  return { ...over, declined };
}
