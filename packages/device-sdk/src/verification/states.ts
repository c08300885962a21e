import type { PassiveCalibration, ReliefSample } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
import type { Verdict } from '../result.ts';
import type { LivenessEstimate } from './liveness-estimate.ts';
import type { Prompt, PromptHint, TurnDirection } from './prompts.ts';

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

/** Whether this frame's face is the one of the frame before. */
export type Track = 'same' | 'new';

/** All times are milliseconds since the attempt was opened, on one clock that never steps back. */
export type AttemptEvent =
  /** The first frame has come and is about to be looked at. */
  | { readonly type: 'frame'; readonly atMs: number }
  | {
      readonly type: 'face';
      readonly atMs: number;
      readonly track: Track;
      /** How far it moved since the frame before, in its widths and heights; null where that frame had not it alone. */
      readonly motion: number | null;
      /** Positive to the person's own left. */
      readonly yawDeg: number;
      readonly parallax: number;
      /** Width of the face over its height in the picture. */
      readonly aspect: number;
      /** Null where the face is hardly turned or could not be measured. */
      readonly relief: ReliefSample | null;
      /** The frame's own fused score, 0..1; null where it could not be scored or no passive check is there. */
      readonly passive: number | null;
      readonly hint: PromptHint | null;
    }
  | { readonly type: 'no-face'; readonly atMs: number }
  | { readonly type: 'several-faces'; readonly atMs: number; readonly track: Track | 'lost' }
  /** The answer to a `compare` effect, with the time of its frame. */
  | { readonly type: 'compared'; readonly atMs: number; readonly matched: boolean }
  /** The answer to a `light` effect: the sequence was shown and judged. */
  | { readonly type: 'lit'; readonly atMs: number; readonly verdict: LightVerdict }
  /** Staff at the device say that the person before the camera is there in the flesh and cannot turn the head. */
  | { readonly type: 'confirmed'; readonly atMs: number }
  /** Time passes without a frame. */
  | { readonly type: 'tick'; readonly atMs: number }
  /** The camera has no more frames. */
  | { readonly type: 'ended'; readonly atMs: number }
  | {
      readonly type: 'failed';
      readonly atMs: number;
      readonly cause: 'camera-denied' | 'camera-failed' | 'engine-failed';
    }
  | { readonly type: 'cancelled'; readonly atMs: number };
export type EventOf<E extends EventName> = Extract<AttemptEvent, { type: E }>;

/** What is compared: the frame by itself; the same, as the first of a mean; or the mean of those before it with it. */
export type ProbeOf = 'frame' | 'first' | 'mean';

/** What the driver of the attempt must do. */
export type AttemptEffect =
  | { readonly type: 'prompt'; readonly prompt: Prompt }
  /**
   * Embed the face of the frame just told and compare it with the reference, by the threshold of its pose; answer with
   * `compared`.
   */
  | { readonly type: 'compare'; readonly pose: 'frontal' | 'turned'; readonly probe: ProbeOf }
  /** Show a sequence of light drawn for this moment, and answer with `lit`; a sequence still running is forgotten. */
  | { readonly type: 'light' }
  | { readonly type: 'finish'; readonly verdict: Verdict };

/**
 * What is asked for after the first match, beside the light where there is one. `light`: the light must be answered,
 * and nothing but the answer leads on. `staff`: staff at the device confirm. Both are what a list may have for people
 * who cannot turn their head.
 */
export type ActiveCheck = 'head-turn' | 'light' | 'staff';

/** Fixed when the attempt is opened. */
export interface Setup {
  readonly active: ActiveCheck;
  /** Drawn from a CSPRNG by whoever opens the attempt. */
  readonly direction: TurnDirection;
  /** How the passive scores are read; null: no passive check is there and staff watch. */
  readonly passive: PassiveCalibration | null;
  /** True: the screen beside the camera gives light, and the face is asked to answer it. */
  readonly lightAsked: boolean;
}

/** What an attempt has come to know, carried from stage to stage. */
export interface Facts extends Setup {
  readonly startedAtMs: number;
  readonly faceSeen: boolean;
  readonly frontalSeen: boolean;
  readonly everScored: boolean;
  readonly estimate: LivenessEstimate;
  /** The aspect of the face in the frontal frame that was compared last; null before. */
  readonly frontalAspect: number | null;
  /** Of the turn and the way back, oldest first. */
  readonly relief: readonly ReliefSample[];
  readonly lightEnteredAtMs: number | null;
  /** How the last sequence of light was answered; null before. */
  readonly light: LightVerdict | null;
  readonly turnEnteredAtMs: number | null;
  readonly returnEnteredAtMs: number | null;
  readonly lastPrompt: Prompt | null;
}

/** Comparisons within one stage. */
export interface Comparisons {
  /** A comparison is asked for and not yet answered. */
  readonly pending: boolean;
  readonly lastAtMs: number | null;
  readonly misses: number;
  /** Frames of the settled face are held, and the next one's joins them. */
  readonly gathers: boolean;
}
export const noComparisons: Comparisons = { pending: false, lastAtMs: null, misses: 0, gathers: false };

/** What was held of the settled face is held no longer. */
export const ungathered = (c: Comparisons): Comparisons => (c.gathers ? { ...c, gathers: false } : c);

/** The camera was asked for; no frame yet. */
export interface StartingState extends Setup {
  readonly name: 'starting';
}
export interface FrontalState {
  readonly name: 'frontal';
  readonly facts: Facts;
  readonly comparisons: Comparisons;
}
export interface LightState {
  readonly name: 'light';
  readonly facts: Facts;
  /** Sequences asked for. */
  readonly rounds: number;
  readonly comparisons: Comparisons;
  /** A frame under the light was compared and matched. */
  readonly seenAsPerson: boolean;
}
export interface TurnState {
  readonly name: 'turn';
  readonly facts: Facts;
  readonly scoredFrames: number;
  /** Why a turn far enough did not count, of the last frame where it did not. */
  readonly reached: 'not' | 'without-parallax' | 'narrowed' | 'without-liveness' | 'uncompared';
  /** Of turned frames: to see that it is the same person. */
  readonly turned: Comparisons;
  /**
   * Of the comparison that was asked for last: whether its match completes the turn, and whether its miss says
   * anything.
   */
  readonly asked: { readonly completes: boolean; readonly telling: boolean };
}
/** Instead of the turn: staff are asked, while the face stays and is compared now and then. */
export interface StaffState {
  readonly name: 'staff';
  readonly facts: Facts;
  readonly scoredFrames: number;
  readonly comparisons: Comparisons;
  /** Matches within this stage. */
  readonly matches: number;
  readonly confirmed: boolean;
}
export interface ReturnState {
  readonly name: 'return';
  readonly facts: Facts;
  readonly scoredFrames: number;
  /** Frontal again, but without enough scored frames, or none that holds by itself, to compare. */
  readonly frontalUnscored: boolean;
  /** Of frontal frames: for the second match. */
  readonly comparisons: Comparisons;
  /** Of frames on the way back: only to see that it is still the same person. */
  readonly turned: Comparisons;
}
export type StageState = FrontalState | LightState | TurnState | StaffState | ReturnState;
/** Whether the driver still needs the embeddings of earlier frames; it overwrites them as soon as it does not. */
export const gathers = (state: AttemptState): boolean =>
  (state.name === 'frontal' || state.name === 'staff' || state.name === 'return') && state.comparisons.gathers;

/** More than one face in view: nothing advances, the window runs on. */
export interface PausedState {
  readonly name: 'paused';
  readonly under: StageState;
}
export interface FinishedState {
  readonly name: 'finished';
  readonly verdict: Verdict;
  /** Null when no frame ever came. */
  readonly facts: Facts | null;
  readonly finishedAtMs: number;
}
export type AttemptState = StartingState | StageState | PausedState | FinishedState;
export type StateOf<S extends StateName> = Extract<AttemptState, { name: S }>;

export interface Step {
  readonly state: AttemptState;
  readonly effects: readonly AttemptEffect[];
}
