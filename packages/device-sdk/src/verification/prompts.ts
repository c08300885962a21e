/** Directions from the person's own point of view. */
export type TurnDirection = 'left' | 'right';

/** Text keys: a screen shows its own words for each. docs/device-sdk.md lists English ones. */
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
