import { expect, it } from 'vitest';
import { exactInterval } from './exact-interval.ts';

it.each([
  // Tables of Clopper and Pearson; none of n is 1 − 0.025^(1/n).
  [0, 10, 0, 0.3085],
  [10, 10, 0.6915, 1],
  [1, 10, 0.0025, 0.445],
  [5, 100, 0.0164, 0.1128],
  [0, 480, 0, 0.0077],
])('%i of %i', (errors, trials, low, high) => {
  const [from, to] = exactInterval(errors, trials);
  expect(from).toBeCloseTo(low, 4);
  expect(to).toBeCloseTo(high, 4);
});
