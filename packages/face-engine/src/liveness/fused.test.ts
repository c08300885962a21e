import { expect, it } from 'vitest';
import { calibrationOf, optionsFor, saying, scoreOf } from '../testing/passive-fixtures.ts';
import { createPresenceMiniFasNet } from './fused.ts';

/** presence says 0.8, MiniFASNet 0.4. */
const networks = () => saying('presence-minifasnet', [Math.log(4)], [Math.log(4)], [0.3, 0.5, 0.2], [0.3, 0.3, 0.4]);

it.each([
  ['half', { weight: 0.5 }, 0.6],
  ['a quarter', { weight: 0.25 }, 0.5],
  ['all', { weight: 1 }, 0.8],
  ['nothing', { weight: 0 }, 0.4],
])('presence counts %s', async (_, over, score) => {
  const calibration = calibrationOf('presence-minifasnet', over);
  const options = await optionsFor('presence-minifasnet', networks(), calibration);
  expect(await scoreOf(options.core, await createPresenceMiniFasNet(options))).toBeCloseTo(score, 6);
});
