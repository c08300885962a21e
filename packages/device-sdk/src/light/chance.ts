import { type LinearColour, lightPalette, linearColour } from './colours.ts';
import { type Observed, Projection } from './projection.ts';
import { expectedChromaticity, type ShownStep } from './response.ts';
import { lightOrders } from './sequence.ts';

/** Whites of the other light: incandescent, halogen, daylight. */
const whites: readonly LinearColour[] = [
  [1.9, 1, 0.33],
  [1.4, 1, 0.58],
  [1, 1, 1],
];

/** Strength of light for which the change is in proportion to it: what counts here is the shape. */
const weak = 0.01;

/** Red's and blue's levels by step, under each white. */
type Levels = readonly (readonly [red: Float64Array, blue: Float64Array])[];

const levelsOf = (colours: readonly LinearColour[]): Levels =>
  whites.map((white) => {
    const levels = colours.map((colour) => expectedChromaticity(colour, weak, white));
    return [Float64Array.from(levels, ([red]) => red), Float64Array.from(levels, ([, blue]) => blue)];
  });

const palette = lightPalette.map(linearColour);
const known = new Map<number, readonly Levels[]>();

/** Of every order that may be drawn; made once. */
function ordersOf(steps: number): readonly Levels[] {
  const there = known.get(steps);
  if (there !== undefined) return there;
  const made = lightOrders(steps).map((order) => levelsOf(order.flatMap((index) => palette.slice(index, index + 1))));
  known.set(steps, made);
  return made;
}

/**
 * Share of all orders of colours that could have been drawn, the one that was drawn among them, that explain a series at least as well at
 * whichever delay and white suits them: an exact permutation test (R. A. Fisher, The Design of Experiments, 1935). Orders are drawn alike and
 * apart from the lengths, so for whatever does not know the order the chance of a value up to p is p at most.
 * @param delayed the series once for each delay
 */
export function chanceOf(delayed: readonly (readonly Observed[])[], steps: readonly ShownStep[]): number {
  const projected = delayed.map((series) => [new Projection(series, 0), new Projection(series, 1)] as const);
  const best = (levels: Levels): number => {
    let most = 0;
    for (const [red, blue] of levels) {
      for (const pair of projected) most = Math.max(most, explains(pair, red, blue));
    }
    return most;
  };
  const drawn = best(levelsOf(steps.map(({ colour }) => colour))) * (1 - 1e-9);
  const orders = ordersOf(steps.length);
  return orders.filter((order) => best(order) >= drawn).length / orders.length;
}

/** Share of a series that levels of any positive strength explain. */
function explains([a, b]: readonly [Projection, Projection], red: Float64Array, blue: Float64Array): number {
  const along = a.with(red) + b.with(blue);
  const squared = a.lengthOf(red) + b.lengthOf(blue);
  return along > 0 && squared > 0 ? (along * along) / (squared * (a.squared + b.squared)) : 0;
}
