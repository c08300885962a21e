import { createNodeFaceEngine } from '@svc/face-engine/node';
import { engineOf } from '@svc/face-models';
import { identitySeed } from '@svc/synthetic-faces';
import { rankQuantile, shareAbove } from '../../statistics/summary.ts';
import { embedIdentities, turnedAgainstFrontal } from './distribution.ts';

/**
 * The figures of docs/liveness.md on comparing a turned face: cosines of the turned published identities to frontal
 * references. Takes about ten minutes.
 *
 * Usage: evaluate-turned.ts [identities = 200] [engine = the preferred one that is installed]
 */
const count = Number(process.argv[2] ?? 200);
const turnsDeg = [10, 15, 20, 27];
const engineId = process.argv[3];
const { engine, runtime, bundle } = await createNodeFaceEngine({
  passiveModel: null,
  ...(engineId === undefined ? {} : { engineId }),
});
const frontal = engine.matchThreshold;
const turned = frontal - engineOf(bundle.manifest, engine.engineId).turnedMargin;
const figures = (values: readonly number[], shares: readonly number[]): string =>
  shares.map((share) => rankQuantile(values, share).toFixed(4)).join(' / ');
const below = (values: readonly number[], limit: number): string =>
  `${values.filter((value) => value < limit).length} of ${values.length}`;
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

const seeds = Array.from({ length: count }, (_, index) => identitySeed(index));
const set = await embedIdentities(engine, seeds, [0, ...turnsDeg.flatMap((turn) => [turn, -turn])], (done) => {
  if (done % 25 === 0) console.error(`${done} of ${count} identities`);
});
console.log(`engine ${engine.engineId}, thresholds: frontal ${frontal}, turned ${turned.toFixed(3)}`);
for (const yawDeg of turnsDeg.flatMap((turn) => [turn, -turn])) {
  const { genuine, impostor } = turnedAgainstFrontal(set, yawDeg);
  console.log(
    `yaw ${yawDeg}: same person least / 1 % / median ${figures(genuine, [0, 0.01, 0.5])}, below frontal ${below(genuine, frontal)}, below turned ${below(genuine, turned)}; ` +
      `others median / 99 % / 99.9 % / greatest ${figures(impostor, [0.5, 0.99, 0.999, 1])}, at or above turned ${percent(shareAbove(impostor, turned))} of ${impostor.length}`,
  );
}
engine.dispose();
runtime.dispose();
