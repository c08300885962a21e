import type { DeviceStatus, NotReady, SyncFailure, Verdict } from '@svc/device-sdk';
import type { CameraProblem, PairingProblem } from '../view-model/state.ts';
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
export function notReadyText(reason: NotReady['reason']): TextKey {
  if (reason === 'storage-failed') return 'stopped.storage-failed';
  return reason === 'person-deadline' ? 'reason.person-deadline' : `not-ready.${reason}`;
}

/**
 * Texts of the reasons for which a ready device lets nobody in, or lets somebody in; null if the outcome is enough. All
 * findings of the liveness checks read the same, so that attackers learn nothing. «Could not be judged», what the camera
 * is and how near the person stands are no findings and have their own texts.
 */
const textOfVerdict: Readonly<Record<Exclude<Reason, NotReady['reason']>, TextKey | null>> = {
  verified: null,
  'verified-by-light': 'reason.without-turn',
  'staff-confirmed': 'reason.without-turn',
  'not-on-list': 'reason.not-on-list',
  'id-invalid': 'reason.not-on-list',
  'record-unopenable': 'reason.unopenable',
  'engine-mismatch': 'reason.unopenable',
  'record-changed': 'reason.changed',
  'attack-frame': 'reason.not-confirmed',
  'passive-below-threshold': 'reason.not-confirmed',
  'never-scorable': 'reason.never-scorable',
  'too-few-scored-frames': 'reason.not-confirmed',
  'light-not-answered': 'reason.not-confirmed',
  'light-not-held': 'reason.not-confirmed',
  'camera-unproven': 'reason.camera-unproven',
  'too-little-room': 'attempt.step-back',
  'not-surely-live': 'reason.not-confirmed',
  'wrong-way': 'reason.wrong-way',
  'face-lost': 'reason.face-lost',
  'face-swapped': 'reason.not-confirmed',
  'turn-not-made': 'reason.not-turned',
  'no-parallax': 'reason.not-confirmed',
  narrowed: 'reason.not-confirmed',
  'not-looked-back': 'reason.not-turned',
  'no-alternative': 'reason.no-alternative',
  'staff-not-confirmed': 'reason.staff-not-confirmed',
  'several-faces': 'reason.several-faces',
  'camera-denied': 'camera.denied',
  'camera-failed': 'camera.lost',
  'engine-failed': 'reason.engine-failed',
  // The kiosk shows no result of an attempt that it ended itself, and begins one at a time.
  cancelled: null,
  disposed: null,
  'attempt-in-progress': null,
  'below-threshold': 'reason.no-match',
  'second-below-threshold': 'reason.no-match',
  'not-frontal': 'reason.not-frontal',
  'window-ended': 'reason.too-late',
  'already-let-in': 'reason.already-let-in',
  'no-face': 'reason.no-face',
  'no-frames': 'camera.lost',
};

/** Text for staff below a result; null if the outcome is enough. */
export const reasonText = (reason: Reason): TextKey | null =>
  reason in textOfVerdict
    ? textOfVerdict[reason as keyof typeof textOfVerdict]
    : notReadyText(reason as NotReady['reason']);

/** Of a failed sync; null if it will pass or the device's state already says it. */
const textOfFailure: Partial<Readonly<Record<SyncFailure, TextKey | null>>> = {
  offline: 'pair.service-unreachable',
  'timed-out': 'pair.service-unreachable',
  unauthorised: 'sync.refused',
  'device-key-mismatch': 'sync.other-key',
  'rate-limited': 'sync.busy',
  'server-error': 'sync.busy',
  'storage-failed': 'stopped.storage-failed',
  'erased-for-good': null,
  disposed: null,
};

/** What an operator can do about the last sync; null: nothing. */
export function failedSyncText({ lastSync }: DeviceStatus): TextKey | null {
  if (lastSync?.ok !== false) return null;
  const text = textOfFailure[lastSync.reason];
  return text === undefined ? 'sync.not-kept' : text;
}

export const cameraText = (problem: CameraProblem): TextKey =>
  problem === 'slow' ? 'app.loading' : `camera.${problem}`;
