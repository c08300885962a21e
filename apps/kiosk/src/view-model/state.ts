import type { DeviceStatus, Prompt, Protections, Verdict } from '@svc/device-sdk';
import type { OpenFailure } from '../device/port.ts';
import type { TokenProblem } from '../pairing/device-token.ts';

/** Why this browser could not be paired. */
export type PairingProblem = TokenProblem | 'service-unreachable' | 'storage-failed';

/** What is wrong with the camera that looks for codes. */
export type CameraProblem = 'denied' | 'missing' | 'lost' | 'unsupported';

/** Where the kiosk is. Holds nothing of a person: the scanned ID passes through as an effect and is never a part of it. */
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
