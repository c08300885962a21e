import type { Run } from './simulate.ts';

/** What was seen to work in some seeds, together. */
export type Totals = Run['seen'];

export const NOTHING_SEEN: Totals = { matches: 0, syncs: 0, wipes: 0, cuts: 0, attempts: 0 };

export function added(a: Totals, b: Totals): Totals {
  return {
    matches: a.matches + b.matches,
    syncs: a.syncs + b.syncs,
    wipes: a.wipes + b.wipes,
    cuts: a.cuts + b.cuts,
    attempts: a.attempts + b.attempts,
  };
}

/** A simulation in which everybody is always refused would prove nothing. @returns what was seen in less than a tenth of the seeds */
export function seenTooSeldom(totals: Totals, seeds: number): readonly string[] {
  return Object.entries(totals).flatMap(([what, times]) => (times > seeds / 10 ? [] : [what]));
}
