import { expect, it } from 'vitest';
import { fromHalf } from './half.ts';

it.each([
  [0x0000, 0],
  [0x8000, -0],
  [0x0001, 2 ** -24],
  [0x83ff, -1023 * 2 ** -24],
  [0x0400, 2 ** -14],
  [0x3555, 0.333251953125],
  [0x7bff, 65504],
  [0xfc00, Number.NEGATIVE_INFINITY],
  [0x7e00, Number.NaN],
])('reads %i as %d', (bits, value) => {
  expect(fromHalf(bits)).toBe(value);
});
