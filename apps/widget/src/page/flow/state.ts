import type { Machine, Plain } from '@svc/page-kit';
import type { HeldToken, WidgetSession } from '@svc/protocol';
import type { CameraProblem, EngineState, Guidance, Photo, PhotoProblem, PhotoReview, Refusal } from '../../ports.ts';

/** The checkboxes of the consent. */
export interface Boxes {
  readonly explicitBiometricConsent: boolean;
  readonly writtenRelease: boolean;
  readonly under16: boolean;
  readonly guardianConsent: boolean;
}
export type BoxName = keyof Boxes;

/** Initial state: no box is ever ticked for the guest. */
export const noBoxes: Boxes = {
  explicitBiometricConsent: false,
  writtenRelease: false,
  under16: false,
  guardianConsent: false,
};

/** The guest's ticks, and the wording that they are for. */
export interface KeptTicks {
  readonly wordingSha256: string;
  readonly boxes: Boxes;
}

/** Required boxes that are not ticked. */
export function missingBoxes(boxes: Boxes): readonly BoxName[] {
  const needed: readonly BoxName[] = boxes.under16
    ? ['explicitBiometricConsent', 'writtenRelease', 'guardianConsent']
    : ['explicitBiometricConsent', 'writtenRelease'];
  return needed.filter((name) => !boxes[name]);
}

/** Reasons for which the flow ends without a choice by the guest here and now: `enrolled` and `declined` are earlier ones. */
export const endings = [
  'enrolled',
  'declined',
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

/** A photo in memory, and the idempotency key of the one request that may send it. */
export interface HeldPhoto extends Photo {
  readonly key: string;
  readonly source: 'camera' | 'file';
  /** Shown mirrored, as the guest saw it; the photo itself is not mirrored. */
  readonly mirrored: boolean;
}

/** The service was unavailable; the request is retried automatically. */
export interface Trouble {
  readonly kind: 'offline' | 'busy';
  /** Number of tries so far. */
  readonly tries: number;
}

/** `offline`: the code that takes photos could not be fetched. */
export type NoCamera = CameraProblem | 'offline';

export type CameraView =
  | { readonly mode: 'opening' }
  | {
      readonly mode: 'live';
      readonly canSwitch: boolean;
      readonly mirrored: boolean;
      /** Null until the engine's first result, and if it cannot run. */
      readonly guidance: Guidance | null;
      /** The photo is being taken, or another camera opened. */
      readonly busy: 'taking' | 'switching' | null;
    }
  /** Null: switched off without a problem. */
  | { readonly mode: 'off'; readonly problem: NoCamera | null }
  /** A file is being converted. */
  | { readonly mode: 'preparing' };

export interface ConsentStep {
  readonly name: 'consent';
  readonly boxes: Boxes;
  /** The guest pressed “continue”: missing boxes are pointed out. */
  readonly asked: boolean;
  /** The wording has changed since the consent. */
  readonly changed: boolean;
  /** Taken before the wording changed. */
  readonly photo: HeldPhoto | null;
}

export interface CameraStep {
  readonly name: 'camera';
  readonly boxes: Boxes;
  readonly camera: CameraView;
  readonly fileProblem: PhotoProblem | 'offline' | null;
  /** Whether a steady face is photographed; false after the first photo, when the guest says when. */
  readonly automatic: boolean;
}

/** The engine's result for the photo that is shown; `coming` until then, null if the engine cannot run here. */
export type Reviewed = PhotoReview | 'coming' | null;

interface Photographed {
  readonly boxes: Boxes;
  readonly photo: HeldPhoto;
  readonly review: Reviewed;
}

export interface CheckStep extends Photographed {
  readonly name: 'check';
}

/** Waiting for the service's answer: unknown whether the photo has arrived. */
export interface SendingStep extends Photographed {
  readonly name: 'sending';
  readonly trouble: Trouble | null;
  /** The guest chose the standard entrance while the photo was being sent, and the photo had arrived. */
  readonly tooLate: boolean;
}

export interface RefusedStep extends Photographed {
  readonly name: 'refused';
  readonly refusal: Refusal;
}

export type Step =
  | {
      readonly name: 'loading';
      /** Ticks from before a reload of the page. */
      readonly kept: KeptTicks | null;
      /** The guest's choice; null: the browser's preference. */
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
      /** The step to return to. */
      readonly back: ConsentStep | CameraStep | CheckStep | SendingStep | RefusedStep;
    }
  | { readonly name: 'done'; readonly deleteAfter: string; readonly tooLate: boolean }
  /** `key` of the request that declined, by which it can be undone. */
  | { readonly name: 'declined'; readonly key: string }
  | { readonly name: 'undoing'; readonly key: string; readonly trouble: Trouble | null }
  /** `about`: what the service says about the token; null if it does not know it, or was not asked. */
  | { readonly name: 'ended'; readonly why: Ending; readonly about: HeldToken | null };
export type StepName = Step['name'];
export type StepOf<N extends StepName> = Extract<Step, { readonly name: N }>;

/** Places of the flow in their order, as the progress and the browser's history have them. */
export const places = ['consent', 'camera', 'check', 'done'] as const;
export type Place = (typeof places)[number];

/** The place of each step; endings have none. */
export const placeOf: Partial<Readonly<Record<StepName, Place>>> = {
  consent: 'consent',
  camera: 'camera',
  refused: 'camera',
  check: 'check',
  sending: 'check',
  done: 'done',
};

export interface State {
  /** The service's session; null until it was read. */
  readonly session: WidgetSession | null;
  /** The engine behind the camera's hints. */
  readonly engine: EngineState;
  /** A photo was taken or chosen on this page. */
  readonly hadPhoto: boolean;
  readonly step: Step;
}

export const firstStep: StepOf<'loading'> = {
  name: 'loading',
  kept: null,
  language: null,
  changed: false,
  photo: null,
  trouble: null,
};

export const initialState: State = {
  session: null,
  engine: { name: 'idle' },
  hadPhoto: false,
  step: firstStep,
};

/** An ending as a reload of the page shows it again, without a secret. */
export type Outcome = Pick<StepOf<'ended'>, 'why' | 'about'>;

/** How it ended, once the link has done its work or never can; null where another try may help, and in a preview. */
export function outcomeOf({ session, step }: Pick<State, 'session' | 'step'>): Outcome | null {
  if (session?.preview === true) return null;
  const told = (state: HeldToken['state'], deleteAfter?: string): HeldToken | null => {
    if (session === null) return null;
    const { organiserName, privacyNoticeUrl, eventName, event, brand } = session;
    return { organiserName, privacyNoticeUrl, eventName, event, brand, state, deleteAfter };
  };
  if (step.name === 'done') return { why: 'enrolled', about: told('used', step.deleteAfter) };
  if (step.name === 'declined') return { why: 'declined', about: told('declined') };
  if (step.name !== 'ended' || ['closed', 'failed', 'unavailable'].includes(step.why)) return null;
  return { why: step.why, about: step.about ?? told('exhausted') };
}

/** Notices to the embedding page: the DOM events of the widget. */
export type Notice =
  | { readonly type: 'ready' | 'enrolled' | 'declined' }
  /** The token was invalid, expired or can no longer be used. `message` is for the organiser, in English. */
  | { readonly type: 'error'; readonly message: string; readonly expired: boolean };

/** Events of the flow. */
export type FlowEvent =
  /** The page has its token. `language` is the organiser's setting; null: the browser's preference. */
  | { readonly type: 'opened'; readonly language: string | null; readonly kept: KeptTicks | null }
  // Answers of the service
  | { readonly type: 'session-read'; readonly session: WidgetSession }
  | { readonly type: 'enrolled'; readonly deleteAfter: string }
  | { readonly type: 'photo-refused'; readonly refusal: Refusal; readonly attemptsLeft: number }
  | Plain<'wording-changed' | 'declined' | 'decline-undone'>
  | { readonly type: 'ended'; readonly why: Ending; readonly message: string; readonly about: HeldToken | null }
  | { readonly type: 'unreachable'; readonly kind: 'offline' | 'busy'; readonly retryAfterMs: number | null }
  // The guest
  | { readonly type: 'language-chosen'; readonly language: string }
  | { readonly type: 'box-ticked'; readonly box: BoxName; readonly ticked: boolean }
  | Plain<'consent-pressed' | 'back-pressed' | 'undo-pressed' | 'retry-pressed' | 'camera-pressed'>
  | Plain<'switch-pressed' | 'shutter-pressed' | 'retake-pressed' | 'send-pressed'>
  /** `key` is the idempotency key. */
  | { readonly type: 'decline-pressed'; readonly key: string }
  | { readonly type: 'file-chosen'; readonly file: Blob }
  // Camera and browser
  | { readonly type: 'camera-opened'; readonly canSwitch: boolean; readonly mirrored: boolean }
  | { readonly type: 'camera-failed'; readonly problem: NoCamera }
  | { readonly type: 'guided'; readonly guidance: Guidance }
  | { readonly type: 'engine-changed'; readonly engine: EngineState }
  /** The guest asked for the rest of the engine. */
  | Plain<'engine-wanted'>
  | Plain<'steady'>
  | { readonly type: 'photo-taken'; readonly photo: HeldPhoto }
  /** `key` is the photo's; the review is null if the engine cannot run here. */
  | { readonly type: 'reviewed'; readonly key: string; readonly review: PhotoReview | null }
  | { readonly type: 'file-refused'; readonly problem: PhotoProblem | 'offline' }
  /** The guest used the browser's Back or Forward. */
  | { readonly type: 'went-to'; readonly place: Place }
  /** The browser has a network again. */
  | Plain<'online'>;
export type EventType = FlowEvent['type'];

/** A request to the service. A new one replaces the one before. */
export type Call =
  | { readonly to: 'session'; readonly language: string | null }
  | {
      readonly to: 'enrol';
      readonly photo: HeldPhoto;
      readonly boxes: Boxes;
      readonly session: Pick<WidgetSession, 'consentVersion' | 'language' | 'wordingSha256' | 'mode'>;
    }
  /** `undo-decline` has the key of the decline. */
  | { readonly to: 'decline' | 'undo-decline'; readonly key: string };

/** Effects of a transition. */
export type Effect =
  | { readonly type: 'call'; readonly call: Call; readonly afterMs: number }
  /** Aborts the current request, or the wait before the next one. */
  | Plain<'call-off'>
  | Plain<'open-camera' | 'close-camera' | 'switch-camera' | 'take-photo'>
  /** Fetches the engine. `asked`: at the guest's request, which counts for more than saving data. */
  | { readonly type: 'warm-up'; readonly asked: boolean }
  | { readonly type: 'review-photo'; readonly photo: HeldPhoto }
  | { readonly type: 'prepare-file'; readonly file: Blob }
  | { readonly type: 'tell'; readonly notice: Notice };

export type FlowMachine = Machine<State, FlowEvent, Effect>;
