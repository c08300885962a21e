import { expect, it } from 'vitest';
import { coresOf } from './one-core.ts';

it('reads a list of cores as taskset writes it', () => {
  expect(coresOf('0')).toEqual([0]);
  expect(coresOf('0,1\n')).toEqual([0, 1]);
  expect(coresOf('0,2-4,7')).toEqual([0, 2, 3, 4, 7]);
});
