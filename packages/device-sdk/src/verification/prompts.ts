/** Head turns are named from the person's own point of view. */
export type TurnDirection = 'left' | 'right';

/** Text keys: a screen shows its own words for each. docs/device-sdk.md lists English ones. */
export const promptKeys = [
  'look-at-camera',
  'turn-head',
  'staff-confirms',
  'look-back',
  'one-person-only',
  'finished',
] as const;
export type PromptKey = (typeof promptKeys)[number];

/** Text keys of what would let the camera judge the face better; they go beside the prompt and never in its place. */
export const promptHints = ['step-back', 'come-closer', 'more-light', 'less-light', 'hold-still'] as const;
export type PromptHint = (typeof promptHints)[number];

/** What the person at the door should do now, as data. */
export interface Prompt {
  readonly key: PromptKey;
  /** Only with `turn-head`. */
  readonly direction?: TurnDirection;
  /** Left out when there is nothing to better. */
  readonly hint?: PromptHint;
  /** True while the screen shows the colours of the light challenge: the person looks and holds still. */
  readonly light?: true;
  /** The colours of the light challenge follow when the face matches: say so before they come. */
  readonly next?: 'light';
  /** Of the whole attempt, 0..1, in steps of a twentieth; never tells a score. */
  readonly progress: number;
  /** Of the ten seconds; the whole window until the first frame. */
  readonly remainingMs: number;
}
