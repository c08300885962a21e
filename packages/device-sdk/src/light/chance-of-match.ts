import { type LinearColour, lightPalette, linearColour } from './colours.ts';
import { type Observed, Projection } from './projection.ts';
import { type Chromaticity, expectedChromaticity, type ShownStep } from './response.ts';
import { lightOrders } from './sequence.ts';

/** Whites of the ambient light: incandescent, halogen, daylight. */
const whites: readonly LinearColour[] = [
  [1.9, 1, 0.33],
  [1.4, 1, 0.58],
  [1, 1, 1],
];

/** A gain small enough that the change is proportional to it: only its shape matters here. */
const weak = 0.01;

const palette = lightPalette.map(linearColour);
/** Levels of red and blue for each colour, under each white. */
const levels = whites.map((white) => palette.map((colour) => expectedChromaticity(colour, weak, white)));

/** All possible orders joined, and how many leading colours each shares with the previous one. */
interface Orders {
  readonly count: number;
  readonly colours: Uint8Array;
  readonly kept: Uint8Array;
}

const known = new Map<number, Orders>();

/** Computed once for each number of steps. */
function ordersOf(steps: number): Orders {
  const there = known.get(steps);
  if (there !== undefined) return there;
  const all = lightOrders(steps);
  const kept = all.map((order, i) => order.findIndex((colour, k) => colour !== all[i - 1]?.[k]));
  const made = { count: all.length, colours: Uint8Array.from(all.flat()), kept: Uint8Array.from(kept) };
  known.set(steps, made);
  return made;
}

function indexOf(steps: readonly ShownStep[], { count, colours }: Orders): number {
  const drawn = steps.map(({ colour }) => palette.findIndex((one) => one.every((value, k) => value === colour[k])));
  for (let i = 0; i < count; i++) {
    if (drawn.every((colour, k) => colour === colours[i * steps.length + k])) return i;
  }
  throw new RangeError('an order of colours that is never drawn');
}

/** Variance below which a component counts as free of noise: a thousandth of a channel. */
const leastVariance = 1e-6;

/**
 * Weight of a component: one over its variance within the steps, so that the noisier one counts less (C. F. Gauss,
 * Theoria combinationis, 1821). Independent of the order.
 */
function weightOf(series: readonly Observed[], component: 0 | 1): number {
  const sums = new Map<number, readonly [count: number, sum: number]>();
  for (const { step, value } of series) {
    const [count, sum] = sums.get(step) ?? [0, 0];
    sums.set(step, [count + 1, sum + value[component]]);
  }
  const squares = series.reduce((total, { step, value }) => {
    const [count, sum] = sums.get(step) ?? [1, 0];
    return total + (value[component] - sum / count) ** 2;
  }, 0);
  return 1 / (squares / series.length + leastVariance);
}

/**
 * Share of all possible orders of colours, the drawn one included, that explain a series at least as well, each at its
 * best delay and white: an exact permutation test (R. A. Fisher, The Design of Experiments, 1935). Orders are drawn
 * uniformly and independently of the lengths, so for a response that does not depend on the order the probability of a
 * value up to p is at most p.
 * @param delayed the series once for each delay
 * @throws RangeError if the steps are not a possible order
 */
export function chanceOfMatch(delayed: readonly (readonly Observed[])[], steps: readonly ShownStep[]): number {
  const orders = ordersOf(steps.length);
  const most = new Float64Array(orders.count);
  for (const series of delayed) {
    const weighed = ([0, 1] as const).map((component) => ({
      seen: new Projection(series, component),
      weight: weightOf(series, component),
    })) as [Weighed, Weighed];
    for (const under of levels) explain(weighed, under, orders, steps.length, most);
  }
  const drawn = (most[indexOf(steps, orders)] as number) * (1 - 1e-9);
  return most.reduce((count, one) => (one >= drawn ? count + 1 : count), 0) / orders.count;
}

interface Weighed {
  readonly seen: Projection;
  readonly weight: number;
}

/**
 * Raises `most` to the share of a series that each order explains with any positive gain. Sums over a shared beginning
 * are reused from the previous order.
 */
function explain(
  [{ seen: a, weight: ofRed }, { seen: b, weight: ofBlue }]: readonly [Weighed, Weighed],
  under: readonly Chromaticity[],
  { count, colours, kept }: Orders,
  steps: number,
  most: Float64Array,
): void {
  const places = steps * palette.length;
  const weighed = under.map(([red, blue]) => [ofRed * red, ofBlue * blue] as const);
  // For a colour at a step: its product with the series, and with each colour at each earlier step.
  const along = new Float64Array(places);
  const across = new Float64Array(places * places);
  for (let one = 0; one < places; one++) {
    const step = Math.floor(one / palette.length);
    const [red, blue] = weighed[one % palette.length] as Chromaticity;
    along[one] = red * a.withStep(step) + blue * b.withStep(step);
    for (let other = 0; other <= one; other++) {
      const before = Math.floor(other / palette.length);
      const [otherRed, otherBlue] = under[other % palette.length] as Chromaticity;
      const both = red * otherRed * a.ofSteps(step, before) + blue * otherBlue * b.ofSteps(step, before);
      across[one * places + other] = before === step ? both : 2 * both;
    }
  }
  const total = ofRed * a.squared + ofBlue * b.squared;
  const sums = new Float64Array(steps + 1);
  const squares = new Float64Array(steps + 1);
  const chosen = new Int32Array(steps);
  for (let order = 0; order < count; order++) {
    for (let step = kept[order] as number; step < steps; step++) {
      const one = step * palette.length + (colours[order * steps + step] as number);
      chosen[step] = one;
      sums[step + 1] = (sums[step] as number) + (along[one] as number);
      let square = squares[step] as number;
      for (let k = 0; k <= step; k++) square += across[one * places + (chosen[k] as number)] as number;
      squares[step + 1] = square;
    }
    const [sum, square] = [sums[steps] as number, squares[steps] as number];
    const share = sum > 0 && square > 0 ? (sum * sum) / (square * total) : 0;
    if (share > (most[order] as number)) most[order] = share;
  }
}
