import type { DeviceStatus, Verdict, VerificationOutcome } from '@svc/device-sdk';
import { mayUnpair } from '../device/port.ts';
import type { OpenStage, State } from './state.ts';

/** What a result says, each on a background of its own. */
export const advices = ['let-in', 'already-let-in', 'standard-check-in', 'call-staff'] as const;
export type Advice = (typeof advices)[number];

/** What staff do after an outcome (table of results in the API). */
export const adviceFor: Readonly<Record<VerificationOutcome, Exclude<Advice, 'already-let-in'>>> = {
  Match: 'let-in',
  NotEnrolled: 'standard-check-in',
  LeaseExpired: 'standard-check-in',
  Expired: 'standard-check-in',
  LivenessFailed: 'call-staff',
  ChallengeFailed: 'call-staff',
  NoMatch: 'call-staff',
  NoFace: 'call-staff',
};

type Result = Pick<Extract<OpenStage, { readonly name: 'result' }>, 'verdict' | 'protections' | 'letInAtMs'>;

/** Where nobody watches the door, nobody comes: guests go to the standard check-in instead. */
export function adviceOf({ verdict, protections, letInAtMs }: Result): Advice {
  const advice = adviceFor[verdict.outcome];
  if (advice === 'call-staff' && protections.attendance === 'unattended') return 'standard-check-in';
  return advice === 'let-in' && letInAtMs !== null ? 'already-let-in' : advice;
}

/** How long a result is shown: readable from two steps away, and longer if staff have to come over. */
export const shownMs: Readonly<Record<Advice, number>> = {
  'let-in': 4_000,
  'already-let-in': 8_000,
  'standard-check-in': 8_000,
  'call-staff': 10_000,
};

/** The alternative for people who can't turn the head at this kiosk. None without a passive check. */
export function alternativeOf(status: DeviceStatus | null): DeviceStatus['headTurnAlternative'] {
  if (status === null || status.protections.passive === 'absent-staff-in-view') return 'none';
  return status.headTurnAlternative;
}

/** Whether staff may take back that the person was let in before. */
export const mayTakeBack = ({ reason }: Verdict): boolean => reason === 'already-let-in';

/** Whether the list's names have come, so that the operator can say whether it is the right one. */
export const mayConfirm = (status: DeviceStatus | null): boolean =>
  status !== null && status.lastSyncAtMs !== null && status.erased === null;

/** What staff can do at a device that can't verify, the likeliest first. */
export type WayOut = 'pair-again' | 'sync';

export function waysOut({ erased, lastSync }: DeviceStatus): readonly WayOut[] {
  if (erased === 'account-suspended' || erased === 'unattended-unsupported') return ['sync', 'pair-again'];
  // After a clock that was ahead the list comes back with the right time.
  if (erased !== null) return erased === 'retention-deadline' ? ['pair-again', 'sync'] : ['pair-again'];
  const failure = lastSync?.ok === false ? lastSync.reason : null;
  const isTokenLost = failure === 'unauthorised' || failure === 'device-key-mismatch';
  return isTokenLost ? ['pair-again', 'sync'] : ['sync'];
}

/** The same on the device screen, from which staff also get back to the door. */
const deviceWays = (status: DeviceStatus): readonly (WayOut | 'door')[] =>
  status.notReady === null ? ['door', 'sync'] : [...waysOut(status), 'door'];

/** Whether there may be something to unpair, and unpairing can help. */
export const canUnpair = ({ failure, paired }: Extract<OpenStage, { readonly name: 'stopped' }>): boolean =>
  paired !== false && mayUnpair(failure);

/** Whether pairing with another token takes a list from this device. */
export const leavesList = (paired: boolean, status: DeviceStatus | null): boolean =>
  paired && (status === null || status.erased === null);

/** Names of event, list and door, for the page's first line: each once, as a list is often called as its event. */
export const placeOf = ({ event, list, device }: NonNullable<DeviceStatus['names']>): readonly string[] =>
  [...new Set([event ?? '', list, device])].filter((name) => name !== '');

/** What is on the screen. */
export type Screen = ReturnType<typeof screenOf>;
export type ScreenOf<N extends Screen['name']> = Extract<Screen, { readonly name: N }>;

/** The screen for a state. */
export function screenOf({ stage, status, withoutTurn, hasPin, camera, details }: State) {
  switch (stage.name) {
    case 'starting':
    case 'opening':
    case 'forgetting':
      return { name: 'loading' as const };
    case 'pairing':
      return { ...stage, name: 'pair' as const, camera, leaves: leavesList(stage.back !== null, status) };
    case 'offered':
      return { ...stage, name: 'offer' as const, status, leaves: leavesList(stage.paired, status) };
    case 'stopped':
      return { ...stage, details, canUnpair: canUnpair(stage) };
    case 'pin':
    case 'attempt':
      return stage;
    case 'result':
      return { ...stage, advice: adviceOf(stage) };
    case 'device':
      return status === null ? { name: 'loading' as const } : { ...stage, status, hasPin, ways: deviceWays(status) };
    case 'confirming':
      return status === null ? { name: 'loading' as const } : { ...stage, name: 'confirm' as const, status };
    case 'door':
      if (status === null) return { name: 'loading' as const };
      if (status.notReady !== null) return { name: 'not-ready' as const, status, why: status.notReady.reason };
      return { name: 'scan' as const, status, withoutTurn, camera };
  }
}
