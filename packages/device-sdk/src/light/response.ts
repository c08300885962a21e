import { type LinearColour, linearColour } from './colours.ts';
import type { LightPolicy } from './policy.ts';
import type { LightSequence } from './sequence.ts';

/** What was shown: a step and when the screen was asked for it. */
export interface ShownStep {
  readonly colour: LinearColour;
  readonly fromMs: number;
}

/** The steps of a sequence as shown, from the times at which the screen was asked for each. */
export const shownSteps = (sequence: LightSequence, startsMs: readonly number[]): readonly ShownStep[] =>
  startsMs.map((fromMs, i) => {
    const step = sequence[i];
    if (step === undefined) throw new RangeError('more starts than steps');
    return { colour: linearColour(step.colour), fromMs };
  });

/**
 * Which step lit a frame, for a screen that is seen `latencyMs` after it was asked; −1 before the first, after the last and
 * beside a change.
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
 * How a surface's chromaticity moves when a screen of a colour adds `gain` times its white to other light of a white. The surface's own colour
 * and the camera's white balance are factors and fall out.
 */
export function expectedChromaticity(colour: LinearColour, gain: number, white: LinearColour): Chromaticity {
  const lit = (k: 0 | 1 | 2): number => Math.log(1 + (gain * colour[k]) / white[k]);
  const green = lit(1);
  return [lit(0) - green, lit(2) - green];
}

/** One frame of a series: when, which step lit it, what was seen. */
export interface Observed {
  readonly atMs: number;
  readonly step: number;
  readonly value: Chromaticity;
}

export interface Fit {
  /** Irradiance of the all-white screen over that of the other light; 0 where the sequence explains nothing. */
  readonly gain: number;
  /** Share of the series' variance that it explains, 0..1, after level and drift are taken out. */
  readonly explained: number;
  /** Root mean square of what it leaves, of both components; infinite where there are too few frames to tell. */
  readonly noise: number;
}

/** Frames from which a series has a noise. */
const toldFrom = 8;

/** Root mean square by which the palette's colours move a chromaticity at a gain, near enough to hold noise against. */
export const swing = (gain: number): number => 0.55 * Math.log(1 + gain);

const gains = Float64Array.from({ length: 52 }, (_, i) => 0.0005 * 1.24 ** i);

/** Light that rooms have, linear sRGB with a green of 1: incandescent, halogen, warm and cool LED, daylight, shade. */
const whites: readonly LinearColour[] = [
  [1.9, 1, 0.33],
  [1.4, 1, 0.58],
  [1.15, 1, 0.82],
  [1, 1, 1],
  [0.9, 1, 1.2],
];

/** What may light a series: each gain under each white, as the chromaticity of each step. */
export class ResponseModel {
  readonly #candidates: readonly { readonly gain: number; readonly levels: readonly Chromaticity[] }[];

  constructor(steps: readonly ShownStep[]) {
    this.#candidates = whites.flatMap((white) =>
      [...gains].map((gain) => ({
        gain,
        levels: steps.map(({ colour }) => expectedChromaticity(colour, gain, white)),
      })),
    );
  }

  /** Least squares over gain and white, with a level and a straight drift of either component as nuisance. */
  fit(series: readonly Observed[]): Fit {
    const [red, blue] = ([0, 1] as const).map((k) => new Projection(series, k)) as [Projection, Projection];
    const none = red.squared + blue.squared;
    let best = none;
    let gain = 0;
    for (const candidate of this.#candidates) {
      const rest = red.residual(candidate.levels) + blue.residual(candidate.levels);
      if (rest < best) {
        best = rest;
        gain = candidate.gain;
      }
    }
    const noise =
      series.length < toldFrom ? Number.POSITIVE_INFINITY : Math.sqrt(Math.max(0, best) / (2 * series.length));
    return { gain, explained: none > 0 ? 1 - best / none : 0, noise };
  }
}

/** One component of a series with level and drift projected out, ready to be compared with any levels of the steps. */
class Projection {
  /** Squared length of what is to be explained. */
  readonly squared: number;
  readonly #component: 0 | 1;
  readonly #used: readonly number[];
  readonly #withSeen: readonly number[];
  readonly #withEachOther: readonly (readonly number[])[];

  constructor(series: readonly Observed[], component: 0 | 1) {
    this.#component = component;
    const remove = nuisanceOf(series);
    const seen = remove(series.map(({ value }) => value[component]));
    this.squared = dot(seen, seen);
    this.#used = [...new Set(series.map(({ step }) => step))];
    const shapes = this.#used.map((used) => remove(series.map(({ step }) => (step === used ? 1 : 0))));
    this.#withSeen = shapes.map((shape) => dot(shape, seen));
    this.#withEachOther = shapes.map((a) => shapes.map((b) => dot(a, b)));
  }

  /** Squared length of what these levels leave unexplained. */
  residual(levels: readonly Chromaticity[]): number {
    let rest = this.squared;
    for (let i = 0; i < this.#used.length; i++) {
      const level = levels[this.#used[i] as number]?.[this.#component] ?? 0;
      rest -= 2 * level * (this.#withSeen[i] as number);
      const row = this.#withEachOther[i] as readonly number[];
      for (let j = 0; j < row.length; j++) {
        rest += level * (levels[this.#used[j] as number]?.[this.#component] ?? 0) * (row[j] as number);
      }
    }
    return rest;
  }
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** Takes level and straight drift out of series over the same times. */
function nuisanceOf(series: readonly { readonly atMs: number }[]): (values: readonly number[]) => number[] {
  const middle = series.reduce((sum, { atMs }) => sum + atMs, 0) / Math.max(1, series.length);
  const times = series.map(({ atMs }) => atMs - middle);
  const spread = dot(times, times);
  return (values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
    const slope = spread > 0 ? dot(times, values) / spread : 0;
    return values.map((value, i) => value - mean - slope * (times[i] ?? 0));
  };
}
