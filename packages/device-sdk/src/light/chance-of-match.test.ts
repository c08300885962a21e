import { describe, expect, it } from 'vitest';
import { chanceOfMatch } from './chance-of-match.ts';
import { lightPalette, linearColour } from './colours.ts';
import type { Observed } from './projection.ts';
import { expectedChromaticity, type ShownStep } from './response.ts';
import { lightOrders } from './sequence.ts';

const stepsOf = (order: readonly number[]): ShownStep[] =>
  order.map((index, i) => ({ colour: linearColour(lightPalette[index] ?? lightPalette[0]), fromMs: 400 * i }));

/** Four frames per step of a weak light's effect under a room's white, with noise, by default equal in red and blue. */
function answer(order: readonly number[], noise: number, seed: number, blueNoise = noise): Observed[] {
  let state = seed;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  for (let i = 0; i < 5; i++) random();
  return stepsOf(order).flatMap(({ colour }, step) =>
    Array.from({ length: 4 }, (_, k) => {
      const [red, blue] = expectedChromaticity(colour, 0.02, [1.4, 1, 0.58]);
      return {
        atMs: 400 * step + 100 * k,
        step,
        value: [red + noise * random(), blue + blueNoise * random()] as const,
      };
    }),
  );
}

const orders = lightOrders(7);
const some = orders.filter((_, i) => i % 29 === 0);
const drawn = orders[1234] ?? [];

describe('the chance that another order would have explained as much', () => {
  it('is that of one order if the response follows the drawn one', () => {
    expect(chanceOfMatch([answer(drawn, 0, 1)], stepsOf(drawn))).toBe(1 / orders.length);
  });

  it('is small with noise as large as the response', () => {
    expect(chanceOfMatch([answer(drawn, 0.02, 7)], stepsOf(drawn))).toBeLessThan(0.01);
  });

  it.each([1, 2, 3, 4, 5, 6])('is small if only one component is noisy (draw %i)', (seed) => {
    expect(chanceOfMatch([answer(drawn, 0.005, seed, 0.3)], stepsOf(drawn))).toBeLessThan(0.02);
  });

  it.each([
    ['alike', 0.005],
    ['in blue alone', 0.3],
  ])('is at most p with a probability of p where another is answered, in noise %s', (_, blueNoise) => {
    const series = answer(orders[77] ?? [], 0.005, 3, blueNoise);
    const chances = some.map((order) => chanceOfMatch([series], stepsOf(order)));
    for (const level of [0.05, 0.1, 0.3, 0.6, 0.9]) {
      const below = chances.filter((chance) => chance <= level).length / chances.length;
      // A sample of every 29th order: four standard deviations of that.
      expect(below).toBeLessThan(level + 4 * Math.sqrt((level * (1 - level)) / chances.length));
    }
    expect(Math.min(...chances)).toBeLessThan(0.1);
  });
});
