import type { DeviceStatus, Prompt, Protections, Verdict, VerificationResult } from '@svc/device-sdk';
import type { OpenFailure } from '../device/port.ts';
import type { TokenProblem } from '../pairing/pairing.ts';

/** Why this browser could not be paired. */
export type PairingProblem = TokenProblem | 'service-unreachable' | 'storage-failed';

/** What is wrong with the camera that looks for codes. */
export type CameraProblem = 'denied' | 'missing' | 'lost' | 'unsupported';

/**
 * Where the kiosk is. Holds nothing of a person: the scanned ID passes through as an effect and is never a part of it.
 */
export type Stage =
  | { readonly name: 'starting' }
  | { readonly name: 'pairing'; readonly busy: boolean; readonly problem: PairingProblem | null }
  | { readonly name: 'opening' }
  | { readonly name: 'stopped'; readonly failure: OpenFailure; readonly unpairing: boolean }
  /** Waits for a ticket, or says why it can't take one. */
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
  /** The open device's; null while there is none. */
  readonly status: DeviceStatus | null;
  readonly camera: CameraProblem | null;
  /** The next attempt is of somebody who can't turn the head. */
  readonly withoutTurn: boolean;
  /** Attempts begun since the page was loaded: tells an attempt's late news from the next one's. */
  readonly attempts: number;
}

export const initialState: State = {
  stage: { name: 'starting' },
  status: null,
  camera: null,
  withoutTurn: false,
  attempts: 0,
};

/** What can happen to the kiosk. */
export type KioskEvent =
  // from what is stored and from the device
  | { readonly type: 'pairing-read'; readonly paired: boolean }
  | { readonly type: 'pairing-failed'; readonly problem: PairingProblem }
  | { readonly type: 'paired' }
  | { readonly type: 'device-opened'; readonly status: DeviceStatus }
  | { readonly type: 'open-failed'; readonly failure: OpenFailure }
  | { readonly type: 'status-changed'; readonly status: DeviceStatus }
  | { readonly type: 'forgotten' }
  // at the door
  | { readonly type: 'scanned'; readonly scannedId: string }
  | { readonly type: 'prompted'; readonly number: number; readonly prompt: Prompt }
  | { readonly type: 'verified'; readonly number: number; readonly result: VerificationResult }
  | { readonly type: 'shown-long-enough'; readonly number: number }
  | { readonly type: 'camera-changed'; readonly problem: CameraProblem | null }
  // from whoever operates it
  | { readonly type: 'token-entered'; readonly text: string }
  | { readonly type: 'cancel-pressed' }
  /** The next visit goes without the head turn, or with it after all. */
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

/** What the kiosk has to do because of it. */
export type Effect =
  | { readonly type: 'open-device' }
  /** Stores the pairing. */
  | { readonly type: 'pair'; readonly deviceToken: string }
  | { readonly type: 'promise-staff-in-view' }
  | { readonly type: 'sync' }
  | { readonly type: 'verify'; readonly number: number; readonly scannedId: string; readonly withoutTurn: boolean }
  | { readonly type: 'confirm-by-staff' }
  | { readonly type: 'end-attempt' }
  | { readonly type: 'return-later'; readonly number: number; readonly afterMs: number }
  | { readonly type: 'chime'; readonly tone: 'let-in' | 'other' }
  | { readonly type: 'forget' };
