import { type LinearColour, linearColour } from './colours.ts';
import type { LightPolicy } from './policy.ts';
import type { LightSequence } from './sequence.ts';

/** A step and the time at which the screen was asked for it. */
export interface ShownStep {
  readonly colour: LinearColour;
  readonly fromMs: number;
}

/** A sequence as shown, on the frames' clock. */
export interface ShownSequence {
  readonly steps: readonly ShownStep[];
  /** Time at which the screen was asked to rest. */
  readonly endMs: number;
  /** Luminous intensity of the all-white screen, candela. Default: an ordinary screen. */
  readonly candela?: number | undefined;
}

/** The steps of a sequence with the times at which the screen was asked for each. */
export const shownSteps = (sequence: LightSequence, startsMs: readonly number[]): readonly ShownStep[] =>
  startsMs.map((fromMs, i) => {
    const step = sequence[i];
    if (step === undefined) throw new RangeError('more starts than steps');
    return { colour: linearColour(step.colour), fromMs };
  });

/** The step that lit a frame, for a screen with this latency; −1 before the first, after the last and near a change. */
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

/** Two numbers per frame: ln R/G and ln B/G. A camera's channel gain becomes a constant or a drift. */
export type Chromaticity = readonly [redGreen: number, blueGreen: number];

/** Below this share of full scale a channel is noise; keeps the logarithm of dark pixels finite. */
const darkness = 0.003;

export const chromaticity = ([r, g, b]: LinearColour): Chromaticity => [
  Math.log((r + darkness) / (g + darkness)),
  Math.log((b + darkness) / (g + darkness)),
];

/**
 * Change of a surface's chromaticity when a screen of a colour adds `gain` times its white to ambient light of a white.
 * The surface's own colour and the camera's white balance are factors and cancel.
 */
export function expectedChromaticity(colour: LinearColour, gain: number, white: LinearColour): Chromaticity {
  const lit = (k: 0 | 1 | 2): number => Math.log(1 + (gain * colour[k]) / white[k]);
  const green = lit(1);
  return [lit(0) - green, lit(2) - green];
}
