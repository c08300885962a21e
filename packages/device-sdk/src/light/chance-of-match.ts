import { type LinearColour, lightPalette, linearColour } from './colours.ts';
import { type Observed, Projection } from './projection.ts';
import { type Chromaticity, expectedChromaticity, type ShownStep } from './response.ts';
import { lightOrders } from './sequence.ts';

/** Whites of the other light: incandescent, halogen, daylight. */
const whites: readonly LinearColour[] = [
  [1.9, 1, 0.33],
  [1.4, 1, 0.58],
  [1, 1, 1],
];

/** Strength of light for which the change is in proportion to it: what counts here is the shape. */
const weak = 0.01;

const palette = lightPalette.map(linearColour);
/** Red's and blue's levels of each colour, under each white. */
const levels = whites.map((white) => palette.map((colour) => expectedChromaticity(colour, weak, white)));

/**
 * Every order that may be drawn, one after the other, and how many of its first colours each has from the one before.
 */
interface Orders {
  readonly count: number;
  readonly colours: Uint8Array;
  readonly kept: Uint8Array;
}

const known = new Map<number, Orders>();

/** Made once. */
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

/** Variance below which a component's noise is no longer told from none: a thousandth of a channel. */
const leastVariance = 1e-6;

/**
 * What a component of a series weighs, one over its variance within the steps, so that the noisier decides less (C. F.
 * Gauss, Theoria combinationis, 1821). No order has a part in it.
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
 * Share of all orders of colours that could have been drawn, the one that was drawn among them, that explain a series
 * at least as well at whichever delay and white suits them: an exact permutation test (R. A. Fisher, The Design of
 * Experiments, 1935). Orders are drawn alike and apart from the lengths, so for whatever does not know the order the
 * chance of a value up to p is p at most.
 * @param delayed the series once for each delay
 * @throws RangeError when the steps are in no order that may be drawn
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
 * Raises `most` to the share of a series that each order explains with any positive strength. Sums of what an order
 * begins with are those of the order before.
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
  // Of a colour at a step: its product with the series, and with each colour at each step before.
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
