import type { Chromaticity } from './response.ts';

/** One frame of a series: its time, the step that lit it, and its colour. */
export interface Observed {
  readonly atMs: number;
  readonly step: number;
  readonly value: Chromaticity;
}

/**
 * One component of a series, with level and linear drift projected out, to be compared with any levels of the steps.
 */
export class Projection {
  /** Squared length of the component. */
  readonly squared: number;
  readonly #used: readonly number[];
  readonly #withSeen: Float64Array;
  /** By rows; each pair of steps once, with both orders added. */
  readonly #withEachOther: Float64Array;

  constructor(series: readonly Observed[], component: 0 | 1) {
    const remove = nuisanceOf(series);
    const seen = remove(series.map(({ value }) => value[component]));
    this.squared = dot(seen, seen);
    this.#used = [...new Set(series.map(({ step }) => step))];
    const shapes = this.#used.map((used) => remove(series.map(({ step }) => (step === used ? 1 : 0))));
    this.#withSeen = Float64Array.from(shapes, (shape) => dot(shape, seen));
    this.#withEachOther = Float64Array.from(
      shapes.flatMap((a, i) => shapes.slice(0, i + 1).map((b, j) => (i === j ? 1 : 2) * dot(a, b))),
    );
  }

  /** Product with a series that has these levels, by step. */
  with(levels: ArrayLike<number>): number {
    const used = this.#used;
    let sum = 0;
    for (let i = 0; i < used.length; i++) sum += (levels[used[i] as number] as number) * (this.#withSeen[i] as number);
    return sum;
  }

  /** Product with a series that is 1 at one step only. */
  withStep(step: number): number {
    const at = this.#used.indexOf(step);
    return at < 0 ? 0 : (this.#withSeen[at] as number);
  }

  /** Product of two series that are each 1 at one step only. */
  ofSteps(one: number, other: number): number {
    const [i, j] = [this.#used.indexOf(one), this.#used.indexOf(other)];
    if (i < 0 || j < 0) return 0;
    const [row, column] = [Math.max(i, j), Math.min(i, j)];
    return (this.#withEachOther[(row * (row + 1)) / 2 + column] as number) / (i === j ? 1 : 2);
  }

  /** Squared length of a series that has these levels, by step. */
  lengthOf(levels: ArrayLike<number>): number {
    const used = this.#used;
    let [sum, at] = [0, 0];
    for (let i = 0; i < used.length; i++) {
      let row = 0;
      for (let j = 0; j <= i; j++) row += (levels[used[j] as number] as number) * (this.#withEachOther[at++] as number);
      sum += (levels[used[i] as number] as number) * row;
    }
    return sum;
  }

  /** Squared length of the rest that these levels do not explain. */
  residual(levels: ArrayLike<number>): number {
    return this.squared - 2 * this.with(levels) + this.lengthOf(levels);
  }
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** Projects level and linear drift out of series over the same times. */
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
