import { type LinearColour, linearColour } from './colours.ts';
import type { LightPolicy } from './policy.ts';
import type { LightSequence } from './sequence.ts';

/** What was shown: a step and when the screen was asked for it. */
export interface ShownStep {
  readonly colour: LinearColour;
  readonly fromMs: number;
}

/** A sequence as it was shown, on the clock of the frames. */
export interface ShownSequence {
  readonly steps: readonly ShownStep[];
  /** When the screen was asked to rest again. */
  readonly endMs: number;
  /** What the screen gives all white, candela; left out, an ordinary one is taken for it. */
  readonly candela?: number | undefined;
}

/** The steps of a sequence as shown, from the times at which the screen was asked for each. */
export const shownSteps = (sequence: LightSequence, startsMs: readonly number[]): readonly ShownStep[] =>
  startsMs.map((fromMs, i) => {
    const step = sequence[i];
    if (step === undefined) throw new RangeError('more starts than steps');
    return { colour: linearColour(step.colour), fromMs };
  });

/**
 * Which step lit a frame, for a screen that is seen `latencyMs` after it was asked; −1 before the first, after the last
 * and beside a change.
 */
export function stepAt(
  atMs: number,
  latencyMs: number,
  steps: readonly ShownStep[],
  endMs: number,
  { transitionMs }: Pick<LightPolicy, 'transitionMs'>,
): number {
  const seen = atMs - latencyMs;
  if (seen > endMs - transitionMs.before) return -1;
  for (let i = steps.length - 1; i >= 0; i--) {
    const from = steps[i]?.fromMs ?? 0;
    if (seen < from) continue;
    const next = steps[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    return seen < from + transitionMs.after || seen > next - transitionMs.before ? -1 : i;
  }
  return -1;
}

/** Two numbers a frame: ln R/G and ln B/G. Whatever a camera multiplies a channel by is a constant or a drift here. */
export type Chromaticity = readonly [redGreen: number, blueGreen: number];

/** Below this share of full scale a channel is noise; keeps the logarithm of dark pixels finite. */
const darkness = 0.003;

export const chromaticity = ([r, g, b]: LinearColour): Chromaticity => [
  Math.log((r + darkness) / (g + darkness)),
  Math.log((b + darkness) / (g + darkness)),
];

/**
 * How a surface's chromaticity moves when a screen of a colour adds `gain` times its white to other light of a white.
 * The surface's own colour and the camera's white balance are factors and fall out.
 */
export function expectedChromaticity(colour: LinearColour, gain: number, white: LinearColour): Chromaticity {
  const lit = (k: 0 | 1 | 2): number => Math.log(1 + (gain * colour[k]) / white[k]);
  const green = lit(1);
  return [lit(0) - green, lit(2) - green];
}
