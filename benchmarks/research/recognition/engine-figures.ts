import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import { pairedDifference } from '../bootstrap.ts';
import { type Claim, markdownTable, wrapped } from '../markdown.ts';
import { describeRate } from '../rates.ts';
import { type AttFigures, attFigures } from './att-faces.ts';
import type { ComparingEngine, Enrolments } from './enrolment.ts';
import type { GalleryReport } from './gallery.ts';
import { type GenuineFigures, genuineFigures, type PersonPhotos } from './genuine.ts';
import type { ListedPair, RatesAtThreshold } from './pairs.ts';
import { portraitClaims, portraitReport } from './portraits.ts';

/** Results of comparing an engine's enrolled photos. */
export interface EngineFigures {
  readonly engine: Pick<EngineRecipe, 'engineId' | 'matchThreshold'>;
  readonly portraits: GalleryReport;
  readonly genuine: GenuineFigures;
  readonly att: AttFigures;
}

/** The photos to compare, with the engine's enrolments. */
export interface ComparedPhotos {
  readonly portraits: readonly string[];
  readonly colour: readonly PersonPhotos[];
  readonly attPairs: readonly ListedPair[];
  readonly enrolments: Enrolments;
}

/** Whether this is the default engine if every add-on is installed. */
export const isPreferred = ({ engineId }: Pick<ComparingEngine, 'engineId'>): boolean =>
  engineId === engineRecipes[0].engineId;

/** `retail` for `retail-0095-mirror/4`. */
export const shortName = (engineId: string): string => engineId.replace(/-.*/, '');

export function measureEngine(engine: ComparingEngine, photos: ComparedPhotos): EngineFigures {
  const { enrolments } = photos;
  const portraits = portraitReport(engine, photos.portraits, enrolments);
  const portraitThreshold = portraits.split.threshold;
  return {
    engine,
    portraits,
    genuine: genuineFigures(engine, photos.colour, enrolments, portraitThreshold),
    att: attFigures({
      engine,
      pairs: photos.attPairs,
      enrolments,
      portraitThreshold,
      isPreferred: isPreferred(engine),
    }),
  };
}

/** What is claimed of one engine. */
export const engineClaims = ({ engine: { engineId }, portraits, genuine, att }: EngineFigures): Claim[] =>
  [...portraitClaims(portraits), genuine.claim, ...att.claims].map((claim) => ({
    ...claim,
    claim: `${shortName(engineId)}: ${claim.claim}`,
  }));

const rateOfPoint = (point: RatesAtThreshold | null, name: 'fmr' | 'fnmr') =>
  point ? describeRate(point[name], point.personBootstrap95[name]) : '–';

/** The threshold that a set asks for, and by how much the shipped one is stricter. */
const ownThreshold = ({ engine: { matchThreshold } }: EngineFigures, threshold = Number.NaN): string =>
  `${threshold.toFixed(4)}, ${(matchThreshold - threshold).toFixed(4)}`;

/** One column per engine, all for the same genuine pairs. */
export function comparisonSection(all: readonly EngineFigures[]): string {
  const row = (label: string, cell: (figures: EngineFigures) => string) => [label, ...all.map(cell)];
  return [
    '## The engines side by side',
    '',
    wrapped(`The AT&T photos are far worse than a phone's, and show too few people to quote an accuracy. For “fnmr at
fmr 1e-4”, the threshold is set so that the fmr of AT&T pairs is 1e-4. In rows “threshold for …”, the second number
says how much higher the shipped threshold is. AUC: area under the ROC curve (at best 1). EER: rate where fmr equals
fnmr.`),
    '',
    markdownTable([
      ['', ...all.map(({ engine }) => shortName(engine.engineId))],
      row('threshold for fmr 1e-4, odd portraits', (one) => ownThreshold(one, one.portraits.split.threshold)),
      row('threshold for fmr 1e-4, all portraits', (one) => ownThreshold(one, one.portraits.allThreshold)),
      row('threshold for fmr 1e-4, AT&T', (one) => ownThreshold(one, one.att.report.atFmr['1e-4']?.threshold)),
      row('scores of different people: median, 99 %, 99.99 %, highest', ({ portraits: { impostorScores } }) =>
        Object.values(impostorScores)
          .map((score) => score.toFixed(3))
          .join(', '),
      ),
      row('AT&T: AUC', ({ att }) => att.report.auc?.toFixed(6) ?? '–'),
      row('AT&T: EER', ({ att }) => att.report.eer?.eer.toFixed(4) ?? '–'),
      row('AT&T: fnmr at fmr 1e-3', ({ att: { report } }) => rateOfPoint(report.atFmr['1e-3'], 'fnmr')),
      row('AT&T: fnmr at fmr 1e-4', ({ att: { report } }) => rateOfPoint(report.atFmr['1e-4'], 'fnmr')),
      row('AT&T: fnmr, shipped', ({ att }) => rateOfPoint(att.report.atShippedThreshold, 'fnmr')),
      row('AT&T: fmr, shipped', ({ att }) => rateOfPoint(att.report.atShippedThreshold, 'fmr')),
    ]),
    '',
    ...all.slice(1).map((other) => differenceOf(all[0] ?? other, other)),
  ].join('\n');
}

function differenceOf(first: EngineFigures, second: EngineFigures): string {
  const outcomes = first.att.missed.map(({ person, missed }, i) => ({
    person,
    firstMissed: missed,
    secondMissed: second.att.missed[i]?.missed ?? true,
  }));
  const { pairs, onlyFirstMissed, onlySecondMissed, interval95 } = pairedDifference(outcomes);
  const [low, high] = interval95.map((rate) => `${(100 * rate).toFixed(2)}`);
  const [one, other] = [shortName(first.engine.engineId), shortName(second.engine.engineId)];
  return wrapped(
    `Of the ${pairs} AT&T pairs of one person, at fmr 1e-4, only ${one} refuses ${onlyFirstMissed}, and only ${other} refuses ${onlySecondMissed}. Difference in fnmr, ${one} minus ${other}: ${low} to ${high} percentage points (“people” interval).`,
  );
}
