import type { DeviceStatus, Prompt, VerificationResult } from '@svc/device-sdk';
import type { OpenFailure } from '../device/port.ts';
import type { CameraProblem, PairingProblem } from './state.ts';

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
