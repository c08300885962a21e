import type { DeviceStatus, Prompt, Protections, Verdict, VerificationResult } from '@svc/device-sdk';
import type { OpenFailure } from '../device/port.ts';
import type { TokenProblem } from '../pairing/pairing.ts';

/** Why this browser could not be paired. */
export type PairingProblem = TokenProblem | 'service-unreachable' | 'storage-failed';

/** Problems of the code camera. */
export type CameraProblem = 'denied' | 'missing' | 'lost' | 'unsupported';

/** The kiosk's stage. Contains no personal data: the scanned ID passes through as an effect only. */
export type Stage =
  | { readonly name: 'starting' }
  | { readonly name: 'pairing'; readonly busy: boolean; readonly problem: PairingProblem | null }
  | { readonly name: 'opening' }
  | { readonly name: 'stopped'; readonly failure: OpenFailure; readonly unpairing: boolean }
  /** Waits for a ticket, or shows why it can't take one. */
  | { readonly name: 'door' }
  | { readonly name: 'device'; readonly unpairing: boolean }
  | { readonly name: 'attempt'; readonly number: number; readonly prompt: Prompt | null }
  | {
      readonly name: 'result';
      readonly number: number;
      readonly verdict: Verdict;
      readonly protections: Protections;
    }
  | { readonly name: 'forgetting' };

export interface State {
  readonly stage: Stage;
  /** Status of the open device; null if there is none. */
  readonly status: DeviceStatus | null;
  readonly camera: CameraProblem | null;
  /** The next attempt is for a person who can't turn the head. */
  readonly withoutTurn: boolean;
  /** Attempts since the page was loaded; distinguishes late events of an earlier attempt. */
  readonly attempts: number;
}

export const initialState: State = {
  stage: { name: 'starting' },
  status: null,
  camera: null,
  withoutTurn: false,
  attempts: 0,
};

/** Events of the kiosk. */
export type KioskEvent =
  // from what is stored and from the device
  | { readonly type: 'pairing-read'; readonly paired: boolean }
  | { readonly type: 'pairing-failed'; readonly problem: PairingProblem }
  | { readonly type: 'paired' }
  | { readonly type: 'device-opened'; readonly status: DeviceStatus }
  | { readonly type: 'open-failed'; readonly failure: OpenFailure }
  | { readonly type: 'status-changed'; readonly status: DeviceStatus }
  | { readonly type: 'forgotten' }
  | { readonly type: 'scanned'; readonly scannedId: string }
  | { readonly type: 'prompted'; readonly number: number; readonly prompt: Prompt }
  | { readonly type: 'verified'; readonly number: number; readonly result: VerificationResult }
  | { readonly type: 'shown-long-enough'; readonly number: number }
  | { readonly type: 'camera-changed'; readonly problem: CameraProblem | null }
  // from the operator
  | { readonly type: 'token-entered'; readonly text: string }
  | { readonly type: 'cancel-pressed' }
  /** The next attempt goes without the head turn, or with it again. */
  | { readonly type: 'turn-chosen'; readonly withoutTurn: boolean }
  | { readonly type: 'staff-confirm-pressed' }
  | { readonly type: 'next-pressed' }
  | { readonly type: 'device-pressed' }
  | { readonly type: 'door-pressed' }
  | { readonly type: 'sync-pressed' }
  | { readonly type: 'retry-pressed' }
  | { readonly type: 'staff-in-view-confirmed' }
  | { readonly type: 'unpair-pressed' }
  | { readonly type: 'unpair-cancelled' }
  | { readonly type: 'unpair-confirmed' };

/** Effects of an update. */
export type Effect =
  | { readonly type: 'open-device' }
  | { readonly type: 'pair'; readonly deviceToken: string }
  | { readonly type: 'promise-staff-in-view' }
  | { readonly type: 'sync' }
  | { readonly type: 'verify'; readonly number: number; readonly scannedId: string; readonly withoutTurn: boolean }
  | { readonly type: 'confirm-by-staff' }
  | { readonly type: 'end-attempt' }
  | { readonly type: 'return-later'; readonly number: number; readonly afterMs: number }
  | { readonly type: 'chime'; readonly tone: 'let-in' | 'other' }
  | { readonly type: 'forget' };
