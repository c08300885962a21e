/** Head turns are named from the person's own point of view. */
export type TurnDirection = 'left' | 'right';

/** Text keys: a screen shows its own words for each. docs/device-sdk.md lists English ones. */
export const promptKeys = [
  'look-at-camera',
  'step-back',
  'come-closer',
  'more-light',
  'one-person-only',
  'turn-head',
  'look-back',
  'finished',
] as const;
export type PromptKey = (typeof promptKeys)[number];

/** What the person at the door should do now, as data. */
export interface Prompt {
  readonly key: PromptKey;
  /** Only with `turn-head`. */
  readonly direction?: TurnDirection;
  /** Of the whole attempt, 0..1, in steps of a twentieth; never tells a score. */
  readonly progress: number;
  /** Of the ten seconds; the whole window until the first frame. */
  readonly remainingMs: number;
}

/** A hint that outranks the stage's own prompt: the frame can't be judged well as it is. */
export type Guidance = Extract<PromptKey, 'step-back' | 'come-closer' | 'more-light'>;
