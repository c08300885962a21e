import type { HeldList } from '../trust/trust-state.ts';
import type { Admission } from './page.ts';

/**
 * How long a person of an ongoing list counts as let in. Longer than a visit, and shorter than the time from one day's
 * visit to an earlier one on the next day.
 */
export const ONGOING_WINDOW_MS = 12 * 60 * 60_000;

/** What a list says about people who come a second time. */
export interface ReEntryRule {
  readonly policy: 'off' | 'warn' | 'refuse';
  /** How long a person counts as let in; null: until the data is deleted. */
  readonly windowMs: number | null;
  /** Whether the organiser's server is told of check-ins. */
  readonly tells: boolean;
}

/** The rule of a list: an event's people are let in once, those of an ongoing list once in {@link ONGOING_WINDOW_MS}. */
export function reEntryRule(list: HeldList | null): ReEntryRule {
  return {
    policy: list?.reEntry ?? 'off',
    windowMs: list === null || list.retentionDeadlineMs !== null ? null : ONGOING_WINDOW_MS,
    tells: list !== null && (list.checkIn ?? null) !== null,
  };
}

/** Whether an admission no longer counts, so that it is deleted. */
export function isOver(
  { atMs, deleteAfterMs }: Omit<Admission, 'tag'>,
  windowMs: number | null,
  nowMs: number,
): boolean {
  return deleteAfterMs <= nowMs || (windowMs !== null && atMs + windowMs <= nowMs);
}
