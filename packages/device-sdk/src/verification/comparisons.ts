import type { Face } from './face-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import { type AttemptEffect, type Comparisons, type Facts, ungathered } from './states.ts';
import { towards } from './step.ts';

export const due = (c: Comparisons, atMs: number, policy: Pick<VerificationPolicy, 'compareIntervalMs'>): boolean =>
  !c.pending && (c.lastAtMs === null || atMs - c.lastAtMs >= policy.compareIntervalMs);
export const asked = (c: Comparisons, atMs: number): Comparisons => ({ ...c, pending: true, lastAtMs: atMs });
/** Requests a comparison of the mean that the frame joins or starts. */
export const gathered = (c: Comparisons, atMs: number): Comparisons => ({ ...asked(c, atMs), gathers: true });
/** Ends the mean if the face has moved since the previous frame. */
export const settledWith = (c: Comparisons, { motion }: Face, { fusion }: VerificationPolicy): Comparisons =>
  motion !== null && motion <= fusion.maxMotion ? c : ungathered(c);
export const compareFrontal = ({ gathers }: Comparisons): readonly AttemptEffect[] => [
  { type: 'compare', pose: 'frontal', probe: gathers ? 'mean' : 'first' },
];
export const unasked = (c: Comparisons): Comparisons => ({ ...c, pending: false });
export const missed = (c: Comparisons): Comparisons => ({ ...c, pending: false, misses: c.misses + 1 });

/** Turned far enough for the comparison as a turned face. */
export const isTurned = (event: Face, facts: Facts, { turned }: VerificationPolicy): boolean =>
  towards(event.yawDeg, facts) >= turned.fromYawDeg;

/** Not turned so far that a miss is meaningless. */
export const isTelling = (event: Face, facts: Facts, { turned }: VerificationPolicy): boolean =>
  towards(event.yawDeg, facts) <= turned.untilYawDeg;
