import type { Random } from '../platform/platform.ts';
import { type LightColour, lightPalette } from './colours.ts';
import { STANDARD_LIGHT_POLICY as policy } from './policy.ts';

/** One colour of a sequence and its duration. */
export interface LightStep {
  readonly colour: LightColour;
  readonly durationMs: number;
}

/** A drawn challenge: at least three different colours, no two equal in a row. */
export type LightSequence = readonly LightStep[];

/** Duration of a sequence, milliseconds. */
export const sequenceMs = (sequence: LightSequence): number =>
  sequence.reduce((sum, { durationMs }) => sum + durationMs, 0);

/** All possible orders of colours, as palette indices. */
export function lightOrders(steps: number): readonly (readonly number[])[] {
  let orders: number[][] = [[]];
  for (let i = 0; i < steps; i++) {
    orders = orders.flatMap((order) =>
      lightPalette.flatMap((_, index) => (index === order[order.length - 1] ? [] : [[...order, index]])),
    );
  }
  return orders.filter((order) => new Set(order).size >= leastColours);
}

const leastColours = 3;

/**
 * Draws a sequence uniformly. The standard policy has 2,904 orders of colours and 11 lengths per step: 35.7 bits. An
 * attacker must guess less, since the judge tolerates noise; docs/internals/light-challenge.md has the measured chance.
 */
export function drawLightSequence(random: Random): LightSequence {
  const { least, most, grain } = policy.stepMs;
  const lengths = Math.floor((most - least) / grain) + 1;
  for (;;) {
    const order: number[] = [];
    while (order.length < policy.steps) {
      const last = order[order.length - 1];
      const drawn = drawBelow(random, last === undefined ? lightPalette.length : lightPalette.length - 1);
      order.push(last !== undefined && drawn >= last ? drawn + 1 : drawn);
    }
    if (new Set(order).size < leastColours) continue;
    return order.map((index) => ({
      colour: lightPalette[index] as LightColour,
      durationMs: least + grain * drawBelow(random, lengths),
    }));
  }
}

/** Uniform below `bound` (at most 256): bytes in the last, incomplete round are discarded. */
function drawBelow(random: Random, bound: number): number {
  const whole = 256 - (256 % bound);
  for (;;) {
    const [byte = 0] = random.bytes(1);
    if (byte < whole) return byte % bound;
  }
}
