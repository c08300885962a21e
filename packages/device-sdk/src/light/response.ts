import { type LinearColour, linearColour } from './colours.ts';
import { STANDARD_LIGHT_POLICY } from './policy.ts';
import { type Observed, Projection } from './projection.ts';
import type { LightSequence } from './sequence.ts';

/** A step and the time at which the screen was asked for it. */
export interface ShownStep {
  readonly colour: LinearColour;
  readonly fromMs: number;
}

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
export function stepAt(atMs: number, latencyMs: number, steps: readonly ShownStep[], endMs: number): number {
  const { transitionMs } = STANDARD_LIGHT_POLICY;
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

export interface Gain {
  /** Irradiance of the all-white screen over that of the ambient light; 0 if the sequence explains nothing. */
  readonly gain: number;
  /** Standard error of the gain; infinite with too few frames. */
  readonly gainError: number;
}

export interface Fit extends Gain {
  /** The ambient white that fits best. */
  readonly white: LinearColour;
  /** Share of the series' variance that it explains, 0 to 1, after removing level and drift. */
  readonly explained: number;
}

/**
 * The screen's share of the light from a place, up to a common factor. In the dark, where a gain is known only up to a
 * factor, this share is known well: nearly all.
 */
export function screenShare({ gain, gainError }: Gain): { readonly value: number; readonly error: number } {
  // The colours have half of white's luminance.
  const all = 1 + gain / 2;
  return { value: gain / all, error: gainError / (all * all) };
}

/**
 * Ambient whites, linear sRGB with green 1: incandescent, halogen, warm LED, daylight, shade. Colour matrices of some
 * cameras, which subtract red from blue, keep only a half, a quarter or an eighth of the little blue in incandescent
 * light: the screen's blue then looks that many times as strong.
 */
const roomWhites: readonly LinearColour[] = [
  [1.9, 1, 0.04],
  [1.9, 1, 0.08],
  [1.9, 1, 0.165],
  [1.9, 1, 0.33],
  [1.4, 1, 0.58],
  [1.15, 1, 0.82],
  [1, 1, 1],
  [0.9, 1, 1.2],
];

/** Minimum frames for a noise estimate, and the degrees of freedom of level, drift and gain. */
const toldFrom = 8;
const fitted = 3;

const [leastGain, gainFactor] = [0.0005, 1.25];
const gainGrid = Array.from({ length: 50 }, (_, i) => leastGain * gainFactor ** i);

type Levels = readonly (readonly number[])[];

/** Possible light on a series: any gain under any ambient white, as the chromaticity of each step. */
export class ResponseModel {
  readonly #steps: readonly ShownStep[];
  readonly #grids = new Map<LinearColour, readonly Levels[]>();

  constructor(steps: readonly ShownStep[]) {
    this.#steps = steps;
  }

  /**
   * Least squares over gain and white, or over the gain under one white, with level and linear drift of each component
   * as nuisance.
   */
  fit(series: readonly Observed[], whites: readonly LinearColour[] = roomWhites): Fit {
    const seen = new Pair(series);
    let best = { rest: seen.squared, gain: 0, white: whites[0] as LinearColour };
    for (const white of whites) {
      this.#gridUnder(white).forEach((levels, i) => {
        const rest = seen.residual(levels);
        if (rest < best.rest) best = { rest, gain: gainGrid[i] as number, white };
      });
    }
    const { white } = best;
    if (best.gain > 0) best = { ...this.#refined(seen, best.gain, white), white };
    return {
      gain: best.gain,
      gainError: this.#errorOf(seen, best.gain, white, best.rest, series.length),
      white,
      explained: seen.squared > 0 ? 1 - best.rest / seen.squared : 0,
    };
  }

  #gridUnder(white: LinearColour): readonly Levels[] {
    const made = this.#grids.get(white) ?? gainGrid.map((gain) => this.#levels(gain, white));
    this.#grids.set(white, made);
    return made;
  }

  /** Golden-section search between the neighbours on the grid. */
  #refined(seen: Pair, gain: number, white: LinearColour): { readonly gain: number; readonly rest: number } {
    const restOf = (at: number): number => seen.residual(this.#levels(at, white));
    const golden = (Math.sqrt(5) - 1) / 2;
    let [low, high] = [gain / gainFactor, gain * gainFactor];
    for (let i = 0; i < 10; i++) {
      const [a, b] = [high - golden * (high - low), low + golden * (high - low)];
      if (restOf(a) < restOf(b)) high = b;
      else low = a;
    }
    const found = (low + high) / 2;
    return { gain: found, rest: restOf(found) };
  }

  /** From the unexplained rest and the derivative of the series by the gain. */
  #errorOf(seen: Pair, gain: number, white: LinearColour, rest: number, frames: number): number {
    if (frames < toldFrom) return Number.POSITIVE_INFINITY;
    const [low, high] = [gain * 0.95, gain * 1.05 + leastGain];
    const [below, above] = [this.#levels(low, white), this.#levels(high, white)];
    const slope = below.map((levels, k) => levels.map((level, i) => ((above[k]?.[i] ?? 0) - level) / (high - low)));
    const variance = Math.max(0, rest) / (2 * frames - 2 * fitted);
    return Math.sqrt(variance / seen.lengthOf(slope));
  }

  #levels(gain: number, white: LinearColour): Levels {
    const expected = this.#steps.map(({ colour }) => expectedChromaticity(colour, gain, white));
    return [expected.map(([red]) => red), expected.map(([, blue]) => blue)];
  }
}

class Pair {
  readonly squared: number;
  readonly #components: readonly [Projection, Projection];

  constructor(series: readonly Observed[]) {
    this.#components = [new Projection(series, 0), new Projection(series, 1)];
    this.squared = this.#components[0].squared + this.#components[1].squared;
  }

  residual([red, blue]: Levels): number {
    return this.#components[0].residual(red ?? []) + this.#components[1].residual(blue ?? []);
  }

  lengthOf([red, blue]: Levels): number {
    return this.#components[0].lengthOf(red ?? []) + this.#components[1].lengthOf(blue ?? []);
  }
}
