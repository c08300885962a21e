import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import { meanOf, rankQuantile, shareAbove } from '../../inputs/summary.ts';
import { withFace } from '../first-face.ts';
import { heldOutSeed } from '../liveness/campaign.ts';
import type { Evaluation } from '../main.ts';
import {
  embedIdentities,
  frontalImpostors,
  genuinePairs,
  identityFrame,
  impostorPairs,
  livenessFrame,
  passiveFigures,
  type Shown,
} from './identities.ts';

const yawsDeg = [-15, -7, 0, 7, 15];
const percent = (share: number): string => `${(100 * share).toFixed(3)} %`;
const quantiles = (values: readonly number[], shares: readonly number[], digits: number): string =>
  shares.map((share) => rankQuantile(values, share).toFixed(digits)).join(' / ');

/**
 * How the yaw of people who were not selected is read. A head turns on its neck: the face moves aside, and is turned
 * further from the line to the camera than from its axis. The renderer's camera has a focal length of 0.95 widths.
 */
async function yawLines(engine: FaceEngine, people: number): Promise<string[]> {
  const lines: string[] = [];
  for (const yawDeg of [-25, -18, 0, 18, 25]) {
    const read: number[] = [];
    const aside: number[] = [];
    for (let i = 0; i < people; i++) {
      const image = renderHead({ ...identityFrame, seed: heldOutSeed + i, spread: 1, yawDeg });
      await withFace(engine, image, ({ pose, landmarks }) => {
        read.push(pose.yawDeg);
        const centreX = meanOf(Array.from({ length: 468 }, (_, point) => landmarks[3 * point] ?? 0));
        aside.push((Math.atan2(centreX - identityFrame.width / 2, 0.95 * identityFrame.width) * 180) / Math.PI);
      });
    }
    const mean = meanOf(read);
    const deviation = Math.sqrt(meanOf(read.map((one) => (one - mean) ** 2)));
    lines.push(
      `yaw ${yawDeg}, ${(yawDeg + meanOf(aside)).toFixed(1)} from the line to the camera: read as ${mean.toFixed(1)} ± ${deviation.toFixed(1)}, from ${quantiles(read, [0, 1], 1)}; ${read.filter((one) => Math.abs(one) >= STANDARD_POLICY.turnYawDeg).length} of ${read.length} as a whole turn`,
    );
  }
  return lines;
}

/**
 * The figures of docs/testing.md: separation of the published identities, consistency of each, tracking of the
 * pose, and passive liveness scores. Takes some minutes.
 */
export const evaluation: Evaluation = {
  options: { identities: '200', passive: '40', engine: '', yaw: '60' },
  addOns: ['minifasnet', 'face-reidentification-retail-0095'],
  async run({ engine, passiveLiveness }, options) {
    const count = Number(options.identities);
    const engineId = options.engine || engine.engineId;
    const threshold = engine.recipes.find((recipe) => recipe.engineId === engineId)?.matchThreshold ?? Number.NaN;
    const seeds = Array.from({ length: count }, (_, index) => identitySeed(index));
    const poses = yawsDeg.map((yawDeg) => ({ yawDeg }));
    const set = await embedIdentities(engine, seeds, poses, engineId);
    const missing = set.embeddings.flat().filter((embedding) => !embedding).length;
    const pairs = (what: string, cosines: readonly number[]): string =>
      `${what}: ${cosines.length} pairs, ${cosines.filter((cosine) => cosine >= threshold).length} at or above the threshold (${percent(shareAbove(cosines, threshold))}); cosine least / 1 % / median / 99 % / 99.99 %: ${quantiles(cosines, [0, 0.01, 0.5, 0.99, 0.9999], 4)}`;
    const renderMs = (isFirst: boolean) =>
      rankQuantile(
        set.renderMs.filter((_, i) => (i % poses.length === 0) === isFirst),
        0.5,
      ).toFixed(0);
    const lines = [
      `engine ${engineId}, threshold ${threshold}, ${count} identities, yaw ${yawsDeg.join(', ')} degrees`,
      `faces not found: ${missing} of ${count * poses.length}; frontal pictures not enrolled: ${set.notEnrolled.length}`,
      pairs('different people, frontal', frontalImpostors(set)),
      pairs('different people, all poses', impostorPairs(set)),
      pairs('same person, different poses', genuinePairs(set)),
      ...(await yawLines(engine, Number(options.yaw))),
      `render of 640 × 480, wall time, median ${renderMs(false)} ms; with a new person's model ${renderMs(true)} ms`,
    ];
    if (!passiveLiveness) return { markdown: lines.join('\n') };

    const passiveCount = Number(options.passive);
    const means: Record<Shown, number[]> = { live: [], print: [], screen: [] };
    const liveFrames: number[] = [];
    for (let i = 0; i < passiveCount; i++) {
      const seed = seeds[Math.floor((i * count) / passiveCount)] ?? 1;
      const figures = await passiveFigures(engine, passiveLiveness, seed);
      for (const [shown, values] of Object.entries(means) as [Shown, number[]][]) {
        if (figures[shown].length > 0) values.push(meanOf(figures[shown]));
      }
      liveFrames.push(...figures.live);
    }
    return {
      markdown: [
        ...lines,
        `passive liveness, ${passiveCount} identities at distance ${livenessFrame.distance}, mean of three poses each`,
        ...Object.entries(means).map(
          ([shown, values]) =>
            `  ${shown}: least / median / greatest ${quantiles(values, [0, 0.5, 1], 3)}, ${values.filter((v) => v >= 0.6).length} of ${values.length} at or above 0.6`,
        ),
        `  single live frames: least / 10 % ${quantiles(liveFrames, [0, 0.1], 3)}`,
      ].join('\n'),
    };
  },
};
