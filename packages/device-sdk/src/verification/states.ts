import type { PassiveCalibration, ReliefSample } from '@svc/face-engine';
import type { Attendance } from '@svc/protocol/sync';
import type { LightVerdict } from '../light/judge.ts';
import type { LivenessEstimate } from './liveness-estimate.ts';
import type { Verdict } from './result.ts';

export const stateNames = ['starting', 'frontal', 'light', 'turn', 'staff', 'return', 'paused', 'finished'] as const;
export type StateName = (typeof stateNames)[number];
export const eventNames = [
  'frame',
  'face',
  'no-face',
  'several-faces',
  'compared',
  'lit',
  'confirmed',
  'tick',
  'ended',
  'failed',
  'cancelled',
] as const;
export type EventName = (typeof eventNames)[number];

/** Whether this frame's face is that of the previous frame. */
export type Track = 'same' | 'new';

/** All times are milliseconds since the attempt was opened, on one monotonic clock. */
export type AttemptEvent =
  /** The first frame has arrived and will be processed next. */
  | { readonly type: 'frame'; readonly atMs: number }
  | {
      readonly type: 'face';
      readonly atMs: number;
      readonly track: Track;
      /** Movement since the previous frame, in face widths and heights; null if it was not the only face there. */
      readonly motion: number | null;
      /** Positive to the person's own left. */
      readonly yawDeg: number;
      readonly parallax: number;
      /** Width of the face over its height in the picture. */
      readonly aspect: number;
      /** Null if the face is hardly turned or could not be measured. */
      readonly relief: ReliefSample | null;
      /** The frame's own fused score, 0 to 1; null if it could not be scored or there is no passive check. */
      readonly passive: number | null;
      /** The frame's own evidence for a live face, 0 to 1; null without a score or in a calibration without evidence. */
      readonly evidence: number | null;
      /** How many times the face's box fits into the frame; given for every frame. */
      readonly room: number;
      readonly hint: PromptHint | null;
    }
  | { readonly type: 'no-face'; readonly atMs: number }
  | { readonly type: 'several-faces'; readonly atMs: number; readonly track: Track | 'lost' }
  /** The answer to a `compare` effect, with the time of its frame. */
  | { readonly type: 'compared'; readonly atMs: number; readonly matched: boolean }
  /** The answer to a `light` effect: the sequence was shown and judged. */
  | { readonly type: 'lit'; readonly atMs: number; readonly verdict: LightVerdict }
  /** Staff at the device confirm that the person is present and cannot turn the head. */
  | { readonly type: 'confirmed'; readonly atMs: number }
  | { readonly type: 'tick'; readonly atMs: number }
  | { readonly type: 'ended'; readonly atMs: number }
  | {
      readonly type: 'failed';
      readonly atMs: number;
      /** `camera-unproven`: unattended, and the platform does not say that frames come from a real camera. */
      readonly cause: 'camera-denied' | 'camera-failed' | 'engine-failed' | 'camera-unproven';
    }
  | { readonly type: 'cancelled'; readonly atMs: number };
export type EventOf<E extends EventName> = Extract<AttemptEvent, { type: E }>;

/** What to compare: the frame alone; the frame alone, as the first of a mean; or the mean with it. */
export type ProbeOf = 'frame' | 'first' | 'mean';

export type AttemptEffect =
  | { readonly type: 'prompt'; readonly prompt: Prompt }
  /**
   * Embed the face of this frame and compare it with the reference, by the threshold of its pose; answer with
   * `compared`.
   */
  | { readonly type: 'compare'; readonly pose: 'frontal' | 'turned'; readonly probe: ProbeOf }
  /** Show a newly drawn light sequence and answer with `lit`; a running sequence is dropped. */
  | { readonly type: 'light' }
  /** Drop the running light sequence without a verdict. */
  | { readonly type: 'rest' }
  | { readonly type: 'finish'; readonly verdict: Verdict };

/**
 * The check after the first match, in addition to the light challenge if enabled. `light`: only an answered light
 * continues. `staff`: staff at the device confirm. A list may offer either to people who cannot turn their head.
 */
export type ActiveCheck = 'head-turn' | 'light' | 'staff';

/** Fixed when the attempt is opened. */
export interface Setup {
  readonly active: ActiveCheck;
  /** Drawn from a CSPRNG by the caller. */
  readonly direction: TurnDirection;
  /** Calibration of the passive scores; null: no passive check, staff watch. */
  readonly passive: PassiveCalibration | null;
  /** True if the light challenge is enabled, or nobody watches, and the camera has a screen light. */
  readonly lightAsked: boolean;
  /** `unattended`: a match needs a witness beside what a staffed one needs. */
  readonly attendance: Attendance;
}

/** Why a frame cannot have the room as its witness. */
export type Lack = 'too-little-room' | 'not-surely-live';

/** A head as its light sequence began. */
export interface LitHead {
  readonly room: number;
  /** It has been turned since the sequence. */
  readonly hasTurned: boolean;
}

/** The attempt's evidence, carried from stage to stage. */
export interface Facts extends Setup {
  readonly startedAtMs: number;
  /** Time of the last face; null if there was none. */
  readonly faceSeenAtMs: number | null;
  readonly frontalSeen: boolean;
  readonly everScored: boolean;
  readonly estimate: LivenessEstimate;
  /** Aspect of the face in the last compared frontal frame; null before. */
  readonly frontalAspect: number | null;
  /** Of the turn and the way back, oldest first. */
  readonly relief: readonly ReliefSample[];
  readonly lightEnteredAtMs: number | null;
  /** Verdict of the last light sequence; null before. */
  readonly light: LightVerdict | null;
  readonly turnEnteredAtMs: number | null;
  readonly returnEnteredAtMs: number | null;
  /** Unattended: the head that the light shines on; null before, and once another may have come in its place. */
  readonly litHead: LitHead | null;
  /** Unattended, without a light: what the last scored frame lacks to be compared; null if nothing. */
  readonly lack: Lack | null;
  /** Light sequences begun, aborted ones included. */
  readonly sequences: number;
  readonly lastPrompt: Prompt | null;
}

/** Comparisons within one stage. */
export interface Comparisons {
  /** A comparison was requested and not yet answered. */
  readonly pending: boolean;
  readonly lastAtMs: number | null;
  readonly misses: number;
  /** Frames of the settled face are held, and the next one joins them. */
  readonly gathers: boolean;
}
export const noComparisons: Comparisons = { pending: false, lastAtMs: null, misses: 0, gathers: false };

/** Drops the held frames of the settled face. */
export const ungathered = (c: Comparisons): Comparisons => (c.gathers ? { ...c, gathers: false } : c);

/** The camera was started; no frame yet. */
export interface StartingState extends Setup {
  readonly name: 'starting';
}
export interface FrontalState {
  readonly name: 'frontal';
  readonly facts: Facts;
  readonly comparisons: Comparisons;
  /** Unattended: when the light sequence began that runs already, with this face alone in view; null if none does. */
  readonly litSinceMs: number | null;
}
export interface LightState {
  readonly name: 'light';
  readonly facts: Facts;
  readonly rounds: number;
  readonly comparisons: Comparisons;
  /** A frame under the light was compared and matched. */
  readonly seenAsPerson: boolean;
  /** Time of the sequence's last match, or of its beginning. */
  readonly seenAtMs: number;
}
export interface TurnState {
  readonly name: 'turn';
  readonly facts: Facts;
  readonly scoredFrames: number;
  /** Why the last sufficiently turned frame did not count. */
  readonly reached: 'not' | 'without-parallax' | 'narrowed' | 'without-liveness' | 'uncompared';
  /** Comparisons of turned frames, to check that it is the same person. */
  readonly turned: Comparisons;
  /** About the last requested comparison. */
  readonly asked: { readonly completesTurn: boolean; readonly missCounts: boolean };
}
/** Instead of the turn: staff are asked, while the face stays and is compared periodically. */
export interface StaffState {
  readonly name: 'staff';
  readonly facts: Facts;
  readonly scoredFrames: number;
  readonly comparisons: Comparisons;
  readonly matches: number;
  readonly confirmed: boolean;
}
export interface ReturnState {
  readonly name: 'return';
  readonly facts: Facts;
  readonly scoredFrames: number;
  /** Frontal again, but without enough scored frames, or without one that passes alone, to compare. */
  readonly frontalUnscored: boolean;
  /** Comparisons of frontal frames, for the second match. */
  readonly comparisons: Comparisons;
  /** Comparisons on the way back, only to check that it is the same person. */
  readonly turned: Comparisons;
}
/** A stage after the first match, in which the face must stay the same one. */
export type TrackedState = LightState | TurnState | StaffState | ReturnState;
export type StageState = FrontalState | TrackedState;
/** Whether the driver still needs the embeddings of earlier frames; it wipes them otherwise. */
export const gathers = (state: AttemptState): boolean =>
  (state.name === 'frontal' || state.name === 'staff' || state.name === 'return') && state.comparisons.gathers;

/** More than one face in view: nothing advances, the window continues. */
export interface PausedState {
  readonly name: 'paused';
  readonly under: StageState;
}
export interface FinishedState {
  readonly name: 'finished';
  readonly verdict: Verdict;
  /** Null if no frame arrived. */
  readonly facts: Facts | null;
  readonly finishedAtMs: number;
}
export type AttemptState = StartingState | StageState | PausedState | FinishedState;
export type StateOf<S extends StateName> = Extract<AttemptState, { name: S }>;

export interface Step {
  readonly state: AttemptState;
  readonly effects: readonly AttemptEffect[];
}

/** Directions from the person's own point of view. */
export type TurnDirection = 'left' | 'right';

/** Text keys: a screen shows its own words for each. */
export const promptKeys = [
  'look-at-camera',
  /** Nobody has been in view for a while. */
  'step-into-view',
  'turn-head',
  'staff-confirms',
  'look-back',
  'one-person-only',
  'finished',
] as const;
export type PromptKey = (typeof promptKeys)[number];

/** Text keys of hints for a better view of the face, shown beside the prompt, never instead of it. */
export const promptHints = ['step-back', 'come-closer', 'more-light', 'less-light', 'hold-still'] as const;
export type PromptHint = (typeof promptHints)[number];

/** The current instruction to the person, as data. */
export interface Prompt {
  readonly key: PromptKey;
  /** Only with `turn-head`. */
  readonly direction?: TurnDirection;
  /** Absent if nothing needs to change. */
  readonly hint?: PromptHint;
  /** True while the screen shows the colours of the light challenge: the person looks and holds still. */
  readonly light?: true;
  /** The colours of the light challenge follow if the face matches: announce them. */
  readonly next?: 'light';
  /** Progress of the whole attempt, 0 to 1, in steps of a twentieth; never reveals a score. */
  readonly progress: number;
  /** Of the ten seconds; the whole window until the first frame. */
  readonly remainingMs: number;
}
