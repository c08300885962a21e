import type { VerificationOutcome } from '@svc/device-sdk';

/** What staff do after an outcome: the interface's table of results. */
export type Advice = 'let-in' | 'standard-check-in' | 'call-staff';

export const adviceFor: Readonly<Record<VerificationOutcome, Advice>> = {
  Match: 'let-in',
  NotEnrolled: 'standard-check-in',
  LeaseExpired: 'standard-check-in',
  Expired: 'standard-check-in',
  LivenessFailed: 'call-staff',
  ChallengeFailed: 'call-staff',
  NoMatch: 'call-staff',
  NoFace: 'call-staff',
};

/** How long a result stays: long enough to be read from two steps away, and staff need longer to come over than a guest to walk on. */
export const shownMs: Readonly<Record<Advice, number>> = {
  'let-in': 4_000,
  'standard-check-in': 8_000,
  'call-staff': 10_000,
};
