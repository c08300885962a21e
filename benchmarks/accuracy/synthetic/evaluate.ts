import { createNodeFaceEngine } from '@svc/face-engine/node';
import { identitySeed } from '@svc/synthetic-faces';
import { temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { meanOf, rankQuantile, shareAbove } from '../../statistics/summary.ts';
import { allImpostors, embedIdentities, frontalImpostors, genuinePairs, yawErrors } from './distribution.ts';
import { livenessFrame, passiveFigures, scored } from './measure.ts';

/**
 * The figures of docs/synthetic-faces.md: separation of the published identities, consistency of each, tracking of the
 * pose, and passive liveness scores. Takes some minutes.
 *
 * Usage: evaluate.ts [identities = 200] [identities asked for passive liveness = 40] [engine = the default one]
 */
const count = Number(process.argv[2] ?? 200);
const passiveCount = Number(process.argv[3] ?? 40);
const yawsDeg = [-15, -7, 0, 7, 15];
const percent = (share: number): string => `${(100 * share).toFixed(3)} %`;
const spread = (values: readonly number[]): string =>
  [0, 0.01, 0.5, 0.99, 0.9999].map((share) => rankQuantile(values, share).toFixed(4)).join(' / ');

const addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
const engineId = process.argv[4];
const { engine, passiveLiveness, runtime } = await createNodeFaceEngine({
  ...withMiniFasNet(addOn?.directory ?? null),
  ...(engineId === undefined ? {} : { engineId }),
});
const seeds = Array.from({ length: count }, (_, index) => identitySeed(index));
const threshold = engine.matchThreshold;

const set = await embedIdentities(engine, seeds, yawsDeg, (done) => {
  if (done % 25 === 0) console.error(`${done} of ${count} identities`);
});
const missing = set.embeddings.flat().filter((embedding) => !embedding).length;
console.log(
  `engine ${engine.engineId}, threshold ${threshold}, ${count} identities, yaw ${yawsDeg.join(', ')} degrees`,
);
console.log(
  `faces not found: ${missing} of ${count * yawsDeg.length}; frontal pictures not enrolled: ${set.notEnrolled.length}`,
);
console.log(
  `detector score, least / median: ${rankQuantile(set.detectionScores, 0).toFixed(3)} / ${rankQuantile(set.detectionScores, 0.5).toFixed(3)}`,
);
console.log(`mesh face flag, least: ${rankQuantile(set.faceFlags, 0).toFixed(4)}`);
const impostors = frontalImpostors(set);
console.log(
  `different people, frontal: ${impostors.length} pairs, ${impostors.filter((c) => c >= threshold).length} at or above the threshold (${percent(shareAbove(impostors, threshold))}); cosine least / 1 % / median / 99 % / 99.99 %: ${spread(impostors)}`,
);
const crossed = allImpostors(set);
console.log(
  `different people, all poses: ${crossed.length} pairs, ${percent(shareAbove(crossed, threshold))} at or above; ${spread(crossed)}`,
);
const genuine = genuinePairs(set);
console.log(
  `same person, different poses: ${genuine.length} pairs, ${percent(shareAbove(genuine, threshold))} at or above; ${spread(genuine)}`,
);
const poses = [-40, -30, -20, -10, 0, 10, 20, 30, 40];
const errors = (
  await yawErrors(
    engine,
    seeds.filter((_, i) => i % 5 === 0),
    poses,
  )
).map(Math.abs);
console.log(
  `yaw error over ±40 degrees, ${errors.length} poses: median ${rankQuantile(errors, 0.5).toFixed(1)}, 90 % ${rankQuantile(errors, 0.9).toFixed(1)}, worst ${rankQuantile(errors, 1).toFixed(1)}; within 5 degrees ${percent(errors.filter((e) => e <= 5).length / errors.length)}`,
);
console.log(
  `render of 640 × 480, wall time, median ${rankQuantile(
    set.renderMs.filter((_, i) => i % yawsDeg.length > 0),
    0.5,
  ).toFixed(0)} ms; with a new person's model ${rankQuantile(
    set.renderMs.filter((_, i) => i % yawsDeg.length === 0),
    0.5,
  ).toFixed(0)} ms`,
);

if (passiveLiveness) {
  const means = { live: [] as number[], print: [] as number[], screen: [] as number[] };
  const least: number[] = [];
  let unscored = 0;
  for (let i = 0; i < passiveCount; i++) {
    const figures = await passiveFigures(engine, passiveLiveness, seeds[Math.floor((i * count) / passiveCount)] ?? 1);
    for (const kind of ['live', 'print', 'screen'] as const) {
      const values = scored(figures[kind]);
      unscored += figures[kind].length - values.length;
      if (values.length > 0) means[kind].push(meanOf(values));
      if (kind === 'live') least.push(...values);
    }
  }
  console.log(
    `passive liveness, ${passiveCount} identities at distance ${livenessFrame.distance}, mean of three poses each; unscorable frames ${unscored}`,
  );
  for (const kind of ['live', 'print', 'screen'] as const) {
    const values = means[kind];
    console.log(
      `  ${kind}: least ${rankQuantile(values, 0).toFixed(3)}, median ${rankQuantile(values, 0.5).toFixed(3)}, greatest ${rankQuantile(values, 1).toFixed(3)}, ${values.filter((v) => v >= 0.6).length} of ${values.length} at or above 0.6`,
    );
  }
  console.log(
    `  single live frames: least ${rankQuantile(least, 0).toFixed(3)}, 10 % ${rankQuantile(least, 0.1).toFixed(3)}`,
  );
} else console.log('passive liveness: skipped: no ../shared');
passiveLiveness?.dispose();
engine.dispose();
runtime.dispose();
await addOn?.remove();
