import type { VerificationPolicy } from './policy.ts';
import type { Face } from './seeing.ts';
import type { Comparisons, Facts } from './states.ts';
import { towards } from './step.ts';

export const due = (c: Comparisons, atMs: number, policy: Pick<VerificationPolicy, 'compareIntervalMs'>): boolean =>
  !c.pending && (c.lastAtMs === null || atMs - c.lastAtMs >= policy.compareIntervalMs);
export const asked = (c: Comparisons, atMs: number): Comparisons => ({ ...c, pending: true, lastAtMs: atMs });
export const unasked = (c: Comparisons): Comparisons => ({ ...c, pending: false });
export const missed = (c: Comparisons): Comparisons => ({ ...c, pending: false, misses: c.misses + 1 });

/** Turned far enough to be compared as a turned face. */
export const isTurned = (event: Face, facts: Facts, { turned }: VerificationPolicy): boolean =>
  towards(event.yawDeg, facts) >= turned.fromYawDeg;

/** Not turned so far that a miss says nothing of who it is. */
export const isTelling = (event: Face, facts: Facts, { turned }: VerificationPolicy): boolean =>
  towards(event.yawDeg, facts) <= turned.untilYawDeg;
