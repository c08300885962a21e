import type { PhotoRefusal, WidgetSession } from '@svc/protocol';
import type { CameraProblem, Hint, Photo, PhotoProblem } from '../../ports.ts';

/** The boxes of the consent, one a boolean. */
export interface Boxes {
  readonly explicitBiometricConsent: boolean;
  readonly writtenRelease: boolean;
  readonly under16: boolean;
  readonly guardianConsent: boolean;
}
export type BoxName = keyof Boxes;

/** As every consent begins: nothing is ever ticked for the guest. */
export const noBoxes: Boxes = {
  explicitBiometricConsent: false,
  writtenRelease: false,
  under16: false,
  guardianConsent: false,
};

/** Boxes that are yet to be ticked before the consent is one. */
export function missingBoxes(boxes: Boxes): readonly BoxName[] {
  const needed: readonly BoxName[] = boxes.under16
    ? ['explicitBiometricConsent', 'writtenRelease', 'guardianConsent']
    : ['explicitBiometricConsent', 'writtenRelease'];
  return needed.filter((name) => !boxes[name]);
}

/** Why the flow ends without a choice of the guest's. */
export const endings = [
  'used',
  'expired',
  'exhausted',
  'invalid',
  'incomplete',
  'closed',
  'unavailable',
  'failed',
] as const;
export type Ending = (typeof endings)[number];

/** A photo in memory, and the name of the one request that may send it (`Idempotency-Key`). */
export interface HeldPhoto extends Photo {
  readonly key: string;
  readonly source: 'camera' | 'file';
  /** Shown as in a mirror, as the guest has just seen it; the photo itself never is mirrored. */
  readonly mirrored: boolean;
}

/** The service was not to be had; it is tried again by itself. */
export interface Trouble {
  readonly kind: 'offline' | 'busy';
  /** How often it has been tried so far. */
  readonly tries: number;
}

/** `offline`: the part of the page that takes the photo could not be fetched. */
export type NoCamera = CameraProblem | 'offline';

export type CameraView =
  | { readonly mode: 'opening' }
  | {
      readonly mode: 'live';
      readonly canSwitch: boolean;
      readonly mirrored: boolean;
      /** `unknown` until the engine says something, and where it cannot run. */
      readonly hint: Hint | null | 'unknown';
      /** The photo is being taken, or another camera opened. */
      readonly busy: boolean;
    }
  /** Null: switched off, with nothing the matter. */
  | { readonly mode: 'off'; readonly problem: NoCamera | null }
  /** A file is being made into a photo. */
  | { readonly mode: 'preparing' };

export interface ConsentStep {
  readonly name: 'consent';
  readonly boxes: Boxes;
  /** The guest wanted to go on: what is missing is pointed out. */
  readonly asked: boolean;
  /** The wording is another than the one that was consented to. */
  readonly changed: boolean;
  /** Taken before the wording changed. */
  readonly photo: HeldPhoto | null;
}

export interface CameraStep {
  readonly name: 'camera';
  readonly boxes: Boxes;
  readonly camera: CameraView;
  readonly fileProblem: PhotoProblem | 'offline' | null;
}

export interface CheckStep {
  readonly name: 'check';
  readonly boxes: Boxes;
  readonly photo: HeldPhoto;
}

/** The answer of the service is awaited: nobody knows yet whether the photo has arrived. */
export interface SendingStep {
  readonly name: 'sending';
  readonly boxes: Boxes;
  readonly photo: HeldPhoto;
  readonly trouble: Trouble | null;
  /** The guest has chosen the standard entrance meanwhile, and the photo had arrived before. */
  readonly tooLate: boolean;
}

export interface RefusedStep {
  readonly name: 'refused';
  readonly boxes: Boxes;
  readonly refusal: PhotoRefusal;
}

export type Step =
  | {
      readonly name: 'loading';
      /** The guest's choice; null: what the browser prefers. */
      readonly language: string | null;
      readonly changed: boolean;
      readonly photo: HeldPhoto | null;
      readonly trouble: Trouble | null;
    }
  | ConsentStep
  | CameraStep
  | CheckStep
  | SendingStep
  | RefusedStep
  | {
      readonly name: 'declining';
      readonly key: string;
      readonly trouble: Trouble | null;
      /** Where the guest was. */
      readonly back: ConsentStep | CameraStep | CheckStep | SendingStep | RefusedStep;
    }
  | { readonly name: 'done'; readonly deleteAfter: string; readonly tooLate: boolean }
  | { readonly name: 'declined' }
  | { readonly name: 'ended'; readonly why: Ending };
export type StepName = Step['name'];

export interface State {
  /** What the service says to show; null until it has. */
  readonly session: WidgetSession | null;
  readonly step: Step;
}

export const initialState: State = {
  session: null,
  step: { name: 'loading', language: null, changed: false, photo: null, trouble: null },
};

/** What whoever shows the page is told: the DOM events of the widget. */
export type Notice =
  | { readonly type: 'ready' | 'enrolled' | 'declined' }
  /**
   * The token was invalid or expired, or nothing more can be done with it. `message` is for the organiser, in English.
   */
  | { readonly type: 'error'; readonly message: string };

/** Everything that can happen to the page. */
export type FlowEvent =
  /** The page has its token. `language` is the organiser's wish; null: what the browser prefers. */
  | { readonly type: 'opened'; readonly language: string | null }
  /** There is no token in the link, or only a part of one. */
  | { readonly type: 'token-missing' }
  // Answers of the service
  | { readonly type: 'session-read'; readonly session: WidgetSession }
  | { readonly type: 'enrolled'; readonly deleteAfter: string }
  | { readonly type: 'photo-refused'; readonly refusal: PhotoRefusal; readonly attemptsLeft: number }
  | { readonly type: 'wording-changed' }
  | { readonly type: 'declined' }
  | { readonly type: 'ended'; readonly why: Ending; readonly message: string }
  | { readonly type: 'unreachable'; readonly kind: 'offline' | 'busy'; readonly retryAfterMs: number | null }
  // The guest
  | { readonly type: 'language-chosen'; readonly language: string }
  | { readonly type: 'box-ticked'; readonly box: BoxName; readonly ticked: boolean }
  | { readonly type: 'consent-pressed' }
  /** `key` names this request among its repeats. */
  | { readonly type: 'decline-pressed'; readonly key: string }
  | { readonly type: 'back-pressed' }
  | { readonly type: 'retry-pressed' }
  | { readonly type: 'camera-pressed' }
  | { readonly type: 'switch-pressed' }
  | { readonly type: 'shutter-pressed' }
  | { readonly type: 'file-chosen'; readonly file: Blob }
  | { readonly type: 'retake-pressed' }
  | { readonly type: 'send-pressed' }
  // Camera and browser
  | { readonly type: 'camera-opened'; readonly canSwitch: boolean; readonly mirrored: boolean }
  | { readonly type: 'camera-failed'; readonly problem: NoCamera }
  | { readonly type: 'guided'; readonly hint: Hint | null }
  | { readonly type: 'steady' }
  | { readonly type: 'photo-taken'; readonly photo: HeldPhoto }
  | { readonly type: 'file-refused'; readonly problem: PhotoProblem | 'offline' }
  /** The browser has a network again. */
  | { readonly type: 'online' };
export type EventType = FlowEvent['type'];

/** A request to the service; one at a time: a new one takes the place of the one before. */
export type Call =
  | { readonly to: 'session'; readonly language: string | null }
  | {
      readonly to: 'enrol';
      readonly photo: HeldPhoto;
      readonly boxes: Boxes;
      readonly session: Pick<WidgetSession, 'consentVersion' | 'language' | 'wordingSha256'>;
    }
  | { readonly to: 'decline'; readonly key: string };

/** What has to be done about it. */
export type Effect =
  | { readonly type: 'call'; readonly call: Call; readonly afterMs: number }
  /** Gives up the request of the moment, or the wait before the next one. */
  | { readonly type: 'call-off' }
  | { readonly type: 'open-camera' }
  | { readonly type: 'close-camera' }
  | { readonly type: 'switch-camera' }
  | { readonly type: 'take-photo' }
  | { readonly type: 'prepare-file'; readonly file: Blob }
  | { readonly type: 'tell'; readonly notice: Notice };
