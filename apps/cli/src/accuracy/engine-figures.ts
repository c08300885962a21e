import { pairedDifference } from '@svc/benchmarks/statistics/bootstrap';
import { describeRate } from '@svc/benchmarks/statistics/interval';
import { markdownTable } from '@svc/benchmarks/statistics/markdown';
import { engineRecipes } from '@svc/face-models';
import type { ComparingEngine } from '../evaluation/enrol-for-engines.ts';
import type { Enrolment } from '../evaluation/enrolment.ts';
import { quotedRates } from '../evaluation/evaluate-pairs.ts';
import type { ListedPair } from '../evaluation/pairs-csv.ts';
import { type AttSection, attSection } from './att-faces.ts';
import { type GenuineSection, genuineSection, type PersonPhotos } from './genuine.ts';
import { type ImpostorSection, impostorSection } from './impostors.ts';
import type { Claim } from './photo-sets.ts';

/** Results of comparing an engine's enrolled photos. */
export interface EngineFigures {
  readonly engineId: string;
  readonly shippedThreshold: number;
  readonly dimension: number;
  readonly impostors: ImpostorSection;
  readonly genuine: GenuineSection;
  readonly att: AttSection;
}

/** The photos to compare, with the engine's enrolments. */
export interface ComparedPhotos {
  readonly portraits: readonly string[];
  readonly colour: readonly PersonPhotos[];
  readonly attPairs: readonly ListedPair[];
  readonly enrolments: ReadonlyMap<string, Enrolment>;
}

/** Whether this is the default engine if every add-on is installed. */
export const isPreferred = ({ engineId }: Pick<ComparingEngine, 'engineId'>): boolean =>
  engineId === engineRecipes[0].engineId;

export function measureEngine(engine: ComparingEngine, photos: ComparedPhotos): EngineFigures {
  const { enrolments } = photos;
  const portraits = new Map([...enrolments].filter(([path]) => photos.portraits.includes(path)));
  const faces = new Set(photos.attPairs.flatMap(({ left, right }) => [left, right]));
  const impostors = impostorSection(engine, photos.portraits, portraits);
  const portraitThreshold = impostors.report.split.threshold;
  return {
    engineId: engine.engineId,
    shippedThreshold: engine.matchThreshold,
    dimension: engine.dimension,
    impostors,
    genuine: genuineSection(engine, photos.colour, enrolments, portraitThreshold),
    att: attSection({
      engine,
      pairs: photos.attPairs,
      enrolments: new Map([...enrolments].filter(([path]) => faces.has(path))),
      portraitThreshold,
      isPreferred: isPreferred(engine),
    }),
  };
}

/** The sections of one engine, with a heading. */
export function engineSections(figures: EngineFigures): string {
  const { impostors, genuine, att } = figures;
  const sections = [impostors, genuine, att].map(({ markdown }) => markdown.replace(/^#/gm, '##'));
  return [`## \`${figures.engineId}\``, '', sections.join('\n\n')].join('\n');
}

export const engineClaims = ({ engineId, impostors, genuine, att }: EngineFigures): Claim[] =>
  [impostors, genuine, att].flatMap(({ claims }) =>
    claims.map((claim) => ({ ...claim, claim: `\`${engineId}\`: ${claim.claim}` })),
  );

/** One column per engine, all for the same genuine pairs. */
export function comparisonSection(all: readonly EngineFigures[]): string {
  const row = (label: string, cell: (figures: EngineFigures) => string) => [label, ...all.map(cell)];
  return [
    '## The engines side by side',
    '',
    'Thresholds for an fmr of 1e-4 are chosen on the odd-numbered portraits and tried on the even-numbered ones. Of the AT&T faces, the first three',
    'rates are at thresholds chosen on those faces themselves. Enrolment rule, quality included. Intervals are 95 %.',
    '',
    markdownTable([
      ['', ...all.map(({ engineId }) => `\`${engineId}\``)],
      row('numbers in a template', ({ dimension }) => String(dimension)),
      row('shipped threshold', ({ shippedThreshold }) => String(shippedThreshold)),
      row('threshold for fmr 1e-4, odd-numbered portraits', ({ impostors: { report } }) =>
        report.split.threshold.toFixed(4),
      ),
      row('the same, all portraits', ({ impostors: { report } }) => report.allThreshold.toFixed(4)),
      row('fmr of the odd-numbered ones’ threshold on the even-numbered ones', ({ impostors: { report } }) =>
        describeRate(report.split.even.fmr, report.split.even.personBootstrap95),
      ),
      row('fmr of the shipped threshold, all portraits', ({ impostors: { report } }) =>
        describeRate(report.shipped.fmr, report.shipped.personBootstrap95),
      ),
      row('genuine pairs of White House and CompreFace above the chosen threshold', ({ impostors, genuine }) => {
        const above = genuine.scores.filter((score) => score >= impostors.report.split.threshold);
        return `${above.length} of ${genuine.scores.length}`;
      }),
      row('AT&T: AUC', ({ att }) => att.report.auc?.toFixed(6) ?? '–'),
      row('AT&T: EER', ({ att }) => att.report.eer?.eer.toFixed(4) ?? '–'),
      ...quotedRates.map((rate) =>
        row(`AT&T: fnmr at fmr ${rate}`, ({ att }) => {
          const point = att.report.atFmr[rate];
          return point ? describeRate(point.fnmr, point.personBootstrap95.fnmr) : '–';
        }),
      ),
      row('AT&T: fnmr at the threshold chosen on the odd-numbered portraits', ({ att: { atPortraitThreshold } }) =>
        describeRate(atPortraitThreshold.fnmr, atPortraitThreshold.personBootstrap95.fnmr),
      ),
      row('AT&T: fnmr at the shipped threshold', ({ att: { report } }) =>
        describeRate(report.atShippedThreshold.fnmr, report.atShippedThreshold.personBootstrap95.fnmr),
      ),
      row('AT&T: fmr at the shipped threshold', ({ att: { report } }) =>
        describeRate(report.atShippedThreshold.fmr, report.atShippedThreshold.personBootstrap95.fmr),
      ),
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
  return (
    `Of the ${pairs} genuine pairs of the AT&T faces at fmr 1e-4, \`${first.engineId}\` alone refuses ${onlyFirstMissed}, ` +
    `\`${second.engineId}\` alone ${onlySecondMissed}. The first's share of refused pairs less the second's: ${low} to ${high} percentage points, resampling people.`
  );
}
