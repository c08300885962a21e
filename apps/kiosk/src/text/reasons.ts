import type { DeviceStatus, NotReady, SyncFailure, Verdict } from '@svc/device-sdk';
import type { PairingProblem } from '../view-model/state.ts';
import type { TextKey } from './index.ts';

type Reason = Verdict['reason'];

/** Why this browser could not be paired. */
export const pairingProblemText = (problem: PairingProblem): TextKey =>
  problem === 'storage-failed' ? 'stopped.storage-failed' : `pair.${problem}`;

/**
 * Shown above every screen; null if there is nothing to say.
 * @param reachable the last check of the connection; null before the first
 */
export function connectionText(status: DeviceStatus | null, reachable: boolean | null): TextKey | null {
  if (status === null || (status.connection !== 'offline' && reachable !== false)) return null;
  return status.ready ? 'app.offline' : 'app.no-connection';
}

/** Text for a device that can't verify now. */
export const notReadyText = (reason: NotReady['reason']): TextKey =>
  reason === 'person-deadline' ? 'reason.person-deadline' : `not-ready.${reason}`;

const notReady = (reason: Exclude<NotReady['reason'], 'person-deadline'>): TextKey => `not-ready.${reason}`;

/**
 * Text for staff below a result; null if the outcome is enough. All findings of the liveness checks read the same, so
 * that attackers learn nothing. «Could not be judged» is no finding and has its own text.
 */
export const reasonText: Readonly<Record<Reason, TextKey | null>> = {
  verified: null,
  'verified-by-light': 'reason.verified-by-light',
  'staff-confirmed': 'reason.staff-confirmed',
  'not-on-list': 'reason.not-on-list',
  'id-invalid': 'reason.not-on-list',
  'record-unopenable': 'reason.unopenable',
  'engine-mismatch': 'reason.engine',
  'record-changed': 'reason.changed',
  'never-synced': notReady('never-synced'),
  'lease-expired': notReady('lease-expired'),
  'clock-behind': notReady('clock-behind'),
  'device-revoked': notReady('device-revoked'),
  'list-deleted': notReady('list-deleted'),
  'account-suspended': notReady('account-suspended'),
  'no-sync-30-days': notReady('no-sync-30-days'),
  'state-untrusted': notReady('state-untrusted'),
  'storage-failed': notReady('storage-failed'),
  'too-slow': notReady('too-slow'),
  'list-deadline': notReady('list-deadline'),
  'person-deadline': 'reason.person-deadline',
  'attack-frame': 'reason.not-confirmed',
  'passive-below-threshold': 'reason.not-confirmed',
  'never-scorable': 'reason.never-scorable',
  'too-few-scored-frames': 'reason.not-confirmed',
  'light-not-answered': 'reason.not-confirmed',
  'light-not-held': 'reason.not-confirmed',
  'wrong-way': 'reason.wrong-way',
  'face-lost': 'reason.face-lost',
  'face-swapped': 'reason.not-confirmed',
  'turn-not-made': 'reason.not-turned',
  'no-parallax': 'reason.not-confirmed',
  narrowed: 'reason.not-confirmed',
  'not-looked-back': 'reason.not-looked-back',
  'no-alternative': 'reason.no-alternative',
  'staff-not-confirmed': 'reason.staff-not-confirmed',
  'several-faces': 'reason.several-faces',
  'camera-denied': 'camera.denied',
  'camera-failed': 'camera.lost',
  'engine-failed': 'reason.engine-failed',
  cancelled: 'reason.cancelled',
  'below-threshold': 'reason.no-match',
  'second-below-threshold': 'reason.no-match',
  'not-frontal': 'reason.not-frontal',
  'window-ended': 'reason.too-late',
  'already-let-in': 'reason.already-let-in',
  'no-face': 'reason.no-face',
  'no-frames': 'camera.lost',
  'attempt-in-progress': 'reason.busy',
  disposed: 'reason.cancelled',
};

/** What an operator can do about a failed sync; null if it will pass or the device's state already says it. */
export function syncFailureText(failure: SyncFailure): TextKey | null {
  switch (failure) {
    case 'offline':
    case 'timed-out':
      return 'sync.offline';
    case 'unauthorised':
      return 'sync.refused';
    case 'device-key-mismatch':
      return 'sync.other-key';
    case 'rate-limited':
    case 'server-error':
      return 'sync.busy';
    case 'storage-failed':
      return 'sync.storage';
    case 'erased-for-good':
    case 'disposed':
      return null;
    default:
      return 'sync.not-kept';
  }
}
