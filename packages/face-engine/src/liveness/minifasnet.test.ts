import { expect, it } from 'vitest';
import { optionsFor, saying, scoreOf } from '../testing/passive-fixtures.ts';
import { createMiniFasNet } from './minifasnet.ts';

it('gives the mean of both networks’ live probability, of bytes as they are', async () => {
  const models = saying('minifasnet', [0.1, 0.8, 0.1], [0.3, 0.6, 0.1]);
  const options = await optionsFor('minifasnet', models);
  const liveness = await createMiniFasNet(options);
  expect(await scoreOf(options.core, liveness, undefined, 200)).toBeCloseTo(0.7);
  for (const { lastInput } of models) expect(new Set(lastInput)).toEqual(new Set([200]));
});
