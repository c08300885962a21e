import type { Verdict } from './result.ts';

/** Ends of IDs by which a test list's devices give a result on purpose. */
const verdicts: Readonly<Record<string, Verdict>> = {
  '-not-enrolled': { outcome: 'NotEnrolled', reason: 'not-on-list' },
  '-lease-expired': { outcome: 'LeaseExpired', reason: 'lease-expired' },
  '-expired': { outcome: 'Expired', reason: 'person-deadline' },
  '-liveness-failed': { outcome: 'LivenessFailed', reason: 'attack-frame' },
  '-challenge-failed': { outcome: 'ChallengeFailed', reason: 'wrong-way' },
  '-no-match': { outcome: 'NoMatch', reason: 'below-threshold' },
  '-no-face': { outcome: 'NoFace', reason: 'no-face' },
};

/** The result of an attempt on a test list, without a camera: by the end of the ID, and else a match. */
export const testVerdictOf = (personId: string): Verdict =>
  Object.entries(verdicts).find(([end]) => personId.endsWith(end))?.[1] ?? { outcome: 'Match', reason: 'verified' };
