import type { FaceEngine } from '@svc/face-engine';
import { describeRate } from '../evaluation/describe.ts';
import { quotedRates } from '../evaluation/evaluate-pairs.ts';
import { markdownTable } from '../output.ts';
import { pairedDifference } from '../statistics/paired-difference.ts';
import { type AttSection, attSection } from './att-faces.ts';
import type { Claim } from './claim.ts';
import { type GenuineSection, genuineSection } from './genuine.ts';
import { type ImpostorSection, impostorSection } from './impostors.ts';

/** Everything that is measured of an engine. */
export interface EngineFigures {
  readonly engineId: string;
  readonly shippedThreshold: number;
  readonly dimension: number;
  readonly impostors: ImpostorSection;
  readonly genuine: GenuineSection;
  readonly att: AttSection;
}

/** @param data folder of the photo sets */
export async function measureEngine(engine: FaceEngine, data: string): Promise<EngineFigures> {
  const impostors = await impostorSection(engine, data);
  return {
    engineId: engine.engineId,
    shippedThreshold: engine.matchThreshold,
    dimension: engine.dimension,
    impostors,
    genuine: await genuineSection(engine, data, impostors.report.split.threshold),
    att: await attSection(engine, data),
  };
}

/** The sections of one engine, below a heading of its own. */
export function engineSections(figures: EngineFigures): string {
  const { impostors, genuine, att } = figures;
  const sections = [impostors, genuine, att].map(({ markdown }) => markdown.replace(/^#/gm, '##'));
  return [`## \`${figures.engineId}\``, '', sections.join('\n\n')].join('\n');
}

export const engineClaims = ({ engineId, impostors, genuine, att }: EngineFigures): Claim[] =>
  [impostors, genuine, att].flatMap(({ claims }) =>
    claims.map((claim) => ({ ...claim, claim: `\`${engineId}\`: ${claim.claim}` })),
  );

/** One column an engine, and the same genuine pairs judged by both. */
export function comparisonSection(all: readonly EngineFigures[]): string {
  const row = (label: string, cell: (figures: EngineFigures) => string) => [label, ...all.map(cell)];
  return [
    '## The engines side by side',
    '',
    'Thresholds for an fmr of 1e-4 are chosen on the odd-numbered portraits and tried on the even-numbered ones. The rates of the AT&T',
    'faces are at thresholds chosen on those faces themselves, enrolment rule, quality included. Intervals are 95 %.',
    '',
    markdownTable([
      ['', ...all.map(({ engineId }) => `\`${engineId}\``)],
      row('numbers in a template', ({ dimension }) => String(dimension)),
      row('shipped threshold', ({ shippedThreshold }) => String(shippedThreshold)),
      row('threshold for fmr 1e-4, odd-numbered portraits', ({ impostors: { report } }) =>
        report.split.threshold.toFixed(4),
      ),
      row('its fmr on the even-numbered portraits', ({ impostors: { report } }) => describeRate(report.split.even.fmr)),
      row('fmr of the shipped threshold, all portraits', ({ impostors: { report } }) =>
        describeRate(report.shipped.fmr),
      ),
      row('genuine pairs of White House and CompreFace above the chosen threshold', ({ impostors, genuine }) => {
        const above = genuine.scores.filter((score) => score >= impostors.report.split.threshold);
        return `${above.length} of ${genuine.scores.length}`;
      }),
      row('AT&T: AUC', ({ att }) => att.enrolled.report.auc?.toFixed(6) ?? '–'),
      row('AT&T: EER', ({ att }) => att.enrolled.report.eer?.eer.toFixed(4) ?? '–'),
      ...quotedRates.map((rate) =>
        row(`AT&T: fnmr at fmr ${rate}`, ({ att }) => {
          const point = att.enrolled.report.atFmr[rate];
          return point ? describeRate(point.fnmr) : '–';
        }),
      ),
      row('AT&T: fnmr at the shipped threshold', ({ att }) =>
        describeRate(att.enrolled.report.atShippedThreshold.fnmr),
      ),
      row('AT&T: fmr at the shipped threshold', ({ att }) => describeRate(att.enrolled.report.atShippedThreshold.fmr)),
    ]),
    '',
    ...all.slice(1).map((other) => differenceOf(all[0] ?? other, other)),
  ].join('\n');
}

function differenceOf(first: EngineFigures, second: EngineFigures): string {
  const outcomes = first.att.enrolled.missed.map(({ person, missed }, i) => ({
    person,
    firstMissed: missed,
    secondMissed: second.att.enrolled.missed[i]?.missed ?? true,
  }));
  const { pairs, onlyFirstMissed, onlySecondMissed, interval95 } = pairedDifference(outcomes);
  const [low, high] = interval95.map((rate) => `${(100 * rate).toFixed(2)}`);
  return (
    `Of the ${pairs} genuine pairs of the AT&T faces at fmr 1e-4, \`${first.engineId}\` alone refuses ${onlyFirstMissed}, ` +
    `\`${second.engineId}\` alone ${onlySecondMissed}: ${low} to ${high} percentage points less, resampling people.`
  );
}
