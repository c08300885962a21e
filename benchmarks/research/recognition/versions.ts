/** Comparisons of an engine's templates with those of its former versions, by which `former` has its thresholds. */
import { dirname } from 'node:path';
import { engineIds } from '@svc/face-models';
import { floatNetworks, openEngineOf } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { quantile } from '../../inputs/summary.ts';
import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { operatingPoint, scoreSets, thresholdAtFmr } from '../rates.ts';
import { attPeople } from './att-faces.ts';
import { thresholdRule } from './calibration.ts';
import { enrolAll, wipeEnrolments } from './enrolment.ts';
import { portraitsIn } from './portraits.ts';

type Pairs = readonly (readonly [string, string])[];

/** Both orders of each pair of two photos: either version is the reference. */
const orderedPairs = (photos: readonly string[]): Pairs =>
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
    for (const { engineId, former } of engine.recipes.filter((recipe) => names.split(',').includes(recipe.engineId))) {
      const before = await enrolAll(floats.engine, photos, 'one', engineId);
      const now = await enrolAll(engine, photos, 'one', engineId);
      const scores = (pairs: Pairs) =>
        pairs.flatMap(([left, right]) => {
          const [a, b] = [before.get(left), now.get(right)];
          return a?.ok && b?.ok ? [engine.core.cosine(a.reference, b.reference)] : [];
        });
      const all = scoreSets(scores(att.flatMap(orderedPairs)), scores(orderedPairs(portraits)));
      const odd = scoreSets([], scores(orderedPairs(portraits.filter((_, i) => i % 2 === 0))));
      const strangers = orderedPairs(att.flat()).filter(([left, right]) => dirname(left) !== dirname(right));
      const sets = [odd, all, scoreSets([], scores(strangers))].map((set) => thresholdAtFmr(set, 1e-4) ?? 1);
      const same = scores(photos.map((path) => [path, path]));
      const cosines = [0, 0.01, 0.5].map((share) => quantile(same, share).toFixed(5)).join(', ');
      for (const { engineId: version, matchThreshold } of former) {
        const { fmr, fnmr } = operatingPoint(all, matchThreshold);
        const counts = [fmr, fnmr].map(({ errors, trials }) => `${errors} of ${trials}`);
        const threshold = [matchThreshold, thresholdRule(...sets)].map((value) => value.toFixed(3));
        rows.push([`\`${version}\`, \`${engineId}\``, ...threshold, ...counts, cosines]);
      }
      for (const enrolments of [before, now]) wipeEnrolments(enrolments.values());
    }
    floats.close();
    const head = ['', 'threshold', 'measured', 'false matches', 'false non-matches', 'same photo: least, 1 %, median'];
    return { markdown: markdownTable([head, ...rows]) };
  },
};
