import type { DeviceStatus, Prompt, Protections, Verdict, VerificationResult } from '@svc/device-sdk';
import type { Machine, Plain } from '@svc/page-kit';
import type { OpenFailure } from '../device/port.ts';
import type { TokenProblem } from '../pairing/pairing.ts';
import type { Advice } from './screen.ts';

/** Why this browser could not be paired. */
export type PairingProblem = TokenProblem | 'service-unreachable' | 'storage-failed';

/** Problems of the code camera. */
export type CameraProblem = 'denied' | 'missing' | 'lost' | 'slow' | 'unsupported';

/** What the kiosk waits for if it takes long. */
export type WaitsFor = 'storage' | 'engine';

/** What staff may do and guests may not; asked for the PIN if there is one. */
export type StaffTask = 'device' | 'unpair' | 'staff-in-view' | 'without-turn' | 'pair-offered' | 'pair' | 'take-back';

/** Whether staff can take back that a person was let in, and how far that is. */
export type TakeBack = 'none' | 'possible' | 'busy' | 'done' | 'failed';

/** A stage without the question for the PIN. */
export type OpenStage =
  | { readonly name: 'starting' }
  | {
      readonly name: 'pairing';
      readonly busy: boolean;
      readonly problem: PairingProblem | null;
      /** This device is paired, and “Cancel” leads back there; null: it is not. */
      readonly back: OpenStage | null;
    }
  /** Asks whether to pair with the token of a link, or with another one than before. */
  | {
      readonly name: 'offered';
      readonly busy: boolean;
      readonly problem: PairingProblem | null;
      readonly paired: boolean;
      /** Where “Cancel” leads; null: the start. */
      readonly back: OpenStage | null;
    }
  /** `thenOffer`: a link with another token is asked about once it is known which list would be left. */
  | { readonly name: 'opening'; readonly thenOffer?: boolean }
  /** Asks whether the list that was fetched is the right one. `failed`: the answer could not be stored. */
  | { readonly name: 'confirming'; readonly busy: boolean; readonly failed: boolean }
  /** `paired` is false once it is known that nothing is. */
  | { readonly name: 'stopped'; readonly failure: OpenFailure; readonly unpairing: boolean; readonly paired?: false }
  /** Waits for a ticket, or shows why it can't take one. */
  | { readonly name: 'door' }
  /** `pinFailed`: the new PIN could not be stored. */
  | { readonly name: 'device'; readonly unpairing: boolean; readonly pinFailed?: boolean }
  | { readonly name: 'attempt'; readonly number: number; readonly prompt: Prompt | null }
  | {
      readonly name: 'result';
      readonly number: number;
      readonly verdict: Verdict;
      readonly protections: Protections;
      /** When this person was let in before; null if not. */
      readonly letInAtMs: number | null;
      /** Name of the door that did; null for this one. */
      readonly letInAt: string | null;
      /** The match is passed on to the organiser's own system. */
      readonly checksIn: boolean;
      readonly takeBack: TakeBack;
    }
  | { readonly name: 'forgetting' };

/** The kiosk's stage. Contains no personal data: scanned ID, token and PIN pass through as effects only. */
export type Stage =
  | OpenStage
  | {
      readonly name: 'pin';
      readonly task: StaffTask;
      readonly back: OpenStage;
      readonly busy: boolean;
      /** The last try was wrong, or a wait runs; null before the first. */
      readonly refused: PinRefusal | null;
    };

/** Why a PIN was not accepted, and the time until the next try, 0 for none. `wait`: it was not compared. */
export interface PinRefusal {
  readonly problem: 'wrong' | 'wait' | 'storage-failed';
  readonly waitMs: number;
}

export interface State {
  readonly stage: Stage;
  /** Status of the open device; null if there is none. */
  readonly status: DeviceStatus | null;
  readonly camera: CameraProblem | null;
  /** Whether the service answered the last check of the connection; null before the first. */
  readonly reachable: boolean | null;
  /** The next attempt is for a person who can't turn the head. */
  readonly withoutTurn: boolean;
  /** Attempts since the page was loaded; distinguishes late events of an earlier attempt. */
  readonly attempts: number;
  /** Staff have a PIN, or it is not known yet whether they have one. */
  readonly hasPin: boolean;
  /** Address of this page. */
  readonly page: string;
  /** Null while nothing takes long. */
  readonly waitsFor: WaitsFor | null;
  /** What the browser said when the device could last not be opened, for support. */
  readonly details: string | null;
}

export const initialState: State = {
  stage: { name: 'starting' },
  status: null,
  camera: null,
  reachable: null,
  withoutTurn: false,
  attempts: 0,
  hasPin: true,
  page: '',
  waitsFor: null,
  details: null,
};

/** Events of the kiosk. */
export type KioskEvent =
  // from what is stored and from the device
  | {
      readonly type: 'pairing-read';
      readonly paired: boolean;
      readonly hasPin: boolean;
      /** From a link; absent: none, or that of the pairing. */
      readonly offered?: string;
    }
  | { readonly type: 'token-offered'; readonly text: string }
  | Plain<'pin-accepted' | 'pin-not-changed' | 'paired' | 'pairing-kept' | 'forgotten' | 'nothing-paired'>
  | { readonly type: 'pin-refused'; readonly refusal: PinRefusal }
  | { readonly type: 'pin-changed'; readonly hasPin: boolean }
  | { readonly type: 'taken-back'; readonly done: boolean }
  | { readonly type: 'pairing-failed'; readonly problem: PairingProblem }
  /** `confirmed`: the operator has said that this is the right list. */
  | { readonly type: 'device-opened'; readonly status: DeviceStatus; readonly confirmed: boolean }
  | { readonly type: 'open-failed'; readonly failure: OpenFailure; readonly details?: string | null }
  | { readonly type: 'waits-changed'; readonly waitsFor: WaitsFor | null }
  | { readonly type: 'status-changed'; readonly status: DeviceStatus }
  | { readonly type: 'scanned'; readonly scannedId: string }
  | { readonly type: 'prompted'; readonly number: number; readonly prompt: Prompt }
  | { readonly type: 'verified'; readonly number: number; readonly result: VerificationResult }
  | { readonly type: 'shown-long-enough'; readonly number: number }
  | { readonly type: 'camera-changed'; readonly problem: CameraProblem | null }
  | { readonly type: 'reach-changed'; readonly reachable: boolean }
  // from the operator
  | { readonly type: 'token-entered'; readonly text: string }
  | Plain<'cancel-pressed' | 'next-pressed' | 'retry-pressed' | 'sync-pressed' | 'take-back-pressed'>
  | Plain<'device-pressed' | 'door-pressed' | 'staff-confirm-pressed' | 'staff-in-view-confirmed'>
  | Plain<
      'unpair-pressed' | 'unpair-cancelled' | 'pair-another-pressed' | 'pair-again-pressed' | 'pair-another-cancelled'
    >
  | Plain<'offer-accepted' | 'offer-declined' | 'pairing-declined' | 'pin-cancelled'>
  /** It is the right list; the PIN is the new one of its staff. */
  | { readonly type: 'pairing-confirmed'; readonly pin: string }
  /** The next attempt goes without the head turn, or with it again. */
  | { readonly type: 'turn-chosen'; readonly withoutTurn: boolean }
  /** `final`: the device's own key pair is deleted too, so that its token never works again. */
  | { readonly type: 'unpair-confirmed'; readonly final: boolean }
  | { readonly type: 'pin-entered'; readonly pin: string }
  /** Nobody has operated the screen for a while. */
  | Plain<'staff-idle'>
  | { readonly type: 'pin-chosen'; readonly pin: string };

/** Effects of a transition. */
export type Effect =
  | Plain<'open-device' | 'promise-staff-in-view' | 'sync' | 'confirm-by-staff' | 'end-attempt'>
  /** At a random moment of the next seconds, because many devices come back at the same time. */
  | Plain<'sync-soon'>
  | { readonly type: 'pair'; readonly deviceToken: string }
  | { readonly type: 'verify'; readonly number: number; readonly scannedId: string; readonly withoutTurn: boolean }
  | { readonly type: 'return-later'; readonly number: number; readonly afterMs: number }
  /** Sound and vibration, as far as they are on. */
  | { readonly type: 'signal'; readonly advice: Advice }
  | { readonly type: 'forget'; readonly final: boolean }
  /** Keeps a token until it is paired with or dropped. */
  | { readonly type: 'hold-token'; readonly deviceToken: string }
  | Plain<'drop-token' | 'pair-with-held-token' | 'read-pin-wait' | 'take-back'>
  | { readonly type: 'check-pin' | 'set-pin' | 'confirm-pairing'; readonly pin: string };

export type KioskMachine = Machine<State, KioskEvent, Effect>;
