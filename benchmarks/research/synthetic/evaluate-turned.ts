import { identitySeed } from '@svc/synthetic-faces';
import { rankQuantile, shareAbove } from '../../inputs/summary.ts';
import type { Evaluation } from '../main.ts';
import { againstFrontal, embedIdentities, toEitherSide } from './identities.ts';

/**
 * The figures of docs/liveness.md on comparing a turned face: cosines of the turned published identities to frontal
 * references. Takes about ten minutes.
 */
export const evaluation: Evaluation = {
  options: { identities: '200', engine: '' },
  addOns: ['face-reidentification-retail-0095'],
  async run({ engine }, options) {
    const recipe = engine.recipes.find(({ engineId }) => engineId === (options.engine || engine.engineId));
    if (recipe === undefined) throw new RangeError(`there are ${engine.recipes.map((one) => one.engineId).join(', ')}`);
    const frontal = recipe.matchThreshold;
    const turned = frontal - recipe.turnedMargin;
    const seeds = Array.from({ length: Number(options.identities) }, (_, index) => identitySeed(index));
    const poses = toEitherSide('yawDeg', [10, 15, 20, 27]);
    const set = await embedIdentities(engine, seeds, [{}, ...poses], recipe.engineId);
    const quantiles = (values: readonly number[], shares: readonly number[]): string =>
      shares.map((share) => rankQuantile(values, share).toFixed(4)).join(' / ');
    const below = (values: readonly number[], limit: number): string =>
      `${values.filter((value) => value < limit).length} of ${values.length}`;
    const lines = poses.map((pose) => {
      const { genuine, impostor } = againstFrontal(set, (one) => one === pose);
      const reached = `${(100 * shareAbove(impostor, turned)).toFixed(2)} % of ${impostor.length}`;
      return (
        `yaw ${pose.yawDeg}: same person least / 1 % / median ${quantiles(genuine, [0, 0.01, 0.5])}, below frontal ${below(genuine, frontal)}, below turned ${below(genuine, turned)}; ` +
        `others median / 99 % / 99.9 % / greatest ${quantiles(impostor, [0.5, 0.99, 0.999, 1])}, at or above turned ${reached}`
      );
    });
    const head = `engine ${recipe.engineId}, thresholds: frontal ${frontal}, turned ${turned.toFixed(3)}`;
    return { markdown: [head, ...lines].join('\n') };
  },
};
