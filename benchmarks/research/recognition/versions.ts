/** Comparisons of an engine's templates with those of its former versions, by which `former` has its thresholds. */
import type { FaceCore } from '@svc/core';
import { engineIds } from '@svc/face-models';
import { floatNetworks, openEngineOf } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { quantile } from '../../inputs/summary.ts';
import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { describeRate, operatingPoint, scoreSets, thresholdAtFmr } from '../rates.ts';
import { attPeople } from './att-faces.ts';
import { thresholdRule } from './calibration.ts';
import { type Enrolments, enrolAll, wipeEnrolments } from './enrolment.ts';
import { portraitsIn } from './portraits.ts';

/** Cosines of photos' templates in one set of enrolments with photos' in another. */
function cosines(
  core: FaceCore,
  pairs: Iterable<readonly [string, string]>,
  [a, b]: readonly [Enrolments, Enrolments],
) {
  return Array.from(pairs).flatMap(([left, right]) => {
    const [one, other] = [a.get(left), b.get(right)];
    return one?.ok && other?.ok ? [core.cosine(one.reference, other.reference)] : [];
  });
}

/** Both orders of each pair of two photos: either version is the reference. */
const orderedPairs = (photos: readonly string[]) =>
  photos.flatMap((left) => photos.flatMap((right) => (left === right ? [] : [[left, right] as const])));

/** The networks in floats are the former versions. `every` takes each nth person. */
export const evaluation: Evaluation = {
  options: { engine: engineIds.join(), every: '1' },
  addOns: ['face-reidentification-retail-0095'],
  needsAddOns: true,
  async run({ engine }, { engine: names = '', every }) {
    const data = sharedData('data') ?? '';
    const floats = await openEngineOf(await floatNetworks());
    const isTaken = (_: unknown, i: number) => i % Number(every) === 0;
    const [portraits, att] = [(await portraitsIn(data)).filter(isTaken), attPeople(data).filter(isTaken)];
    const photos = [...portraits, ...att.flat()];
    const rows: string[][] = [];
    for (const { engineId, former, matchThreshold: own } of engine.recipes) {
      if (!names.split(',').includes(engineId)) continue;
      const before = await enrolAll(floats.engine, photos, 'one', engineId);
      const now = await enrolAll(engine, photos, 'one', engineId);
      const version = former[0]?.engineId ?? '';
      const shipped = former[0]?.matchThreshold ?? own;
      for (const [name, sets, threshold] of [
        [`\`${version}\` with itself`, [before, before], shipped],
        [`\`${version}\` with \`${engineId}\``, [before, now], shipped],
        [`\`${engineId}\` with itself`, [now, now], own],
      ] as const) {
        const scores = (pairs: Iterable<readonly [string, string]>) => cosines(engine.core, pairs, sets);
        const all = scoreSets(scores(att.flatMap(orderedPairs)), scores(orderedPairs(portraits)));
        const odd = scoreSets([], scores(orderedPairs(portraits.filter((_, i) => i % 2 === 0))));
        const [onOdd = 1, onAll = 1] = [odd, all].map((set) => thresholdAtFmr(set, 1e-4) ?? 1);
        const { fmr, fnmr } = operatingPoint(all, threshold);
        const same = sets[0] === sets[1] ? [1] : scores(photos.map((path) => [path, path] as const));
        const least = [0, 0.01, 0.5].map((share) => quantile(same, share).toFixed(5)).join(', ');
        const measured = thresholdRule(onOdd, onAll).toFixed(3);
        rows.push([name, String(threshold), measured, describeRate(fmr), describeRate(fnmr), least]);
      }
      for (const enrolments of [before, now]) wipeEnrolments(enrolments.values());
    }
    floats.close();
    const head = ['', 'threshold', 'as measured', 'fmr', 'fnmr', 'same photo'];
    return { markdown: markdownTable([head, ...rows], true) };
  },
};
