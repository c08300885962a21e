import { join } from 'node:path';
import type { FaceEngine } from '@svc/face-engine';
import { describeRate } from '../evaluation/describe.ts';
import { enrolAll, type FaceRule, wipeEnrolments } from '../evaluation/enrolment.ts';
import { type PairsReport, quotedRates, reportPairs, scorePairs } from '../evaluation/evaluate-pairs.ts';
import type { ListedPair } from '../evaluation/pairs-csv.ts';
import { markdownTable } from '../output.ts';
import type { ScoredPair } from '../statistics/ten-fold.ts';
import type { Section } from './claim.ts';
import { photoSets } from './photo-sets.ts';

const people = 40;
const photosEach = 10;

function allPairs(folder: string): ListedPair[] {
  const photos = Array.from({ length: people * photosEach }, (_, i) => {
    const person = Math.floor(i / photosEach) + 1;
    return { person, path: join(folder, `s${person}`, `${(i % photosEach) + 1}.pgm`) };
  });
  return photos.flatMap((left, i) =>
    photos
      .slice(i + 1)
      .map((right) => ({ left: left.path, right: right.path, same: left.person === right.person, line: 0 })),
  );
}

const ruleText: Record<FaceRule, string> = {
  one: 'enrolment rule, quality included',
  largest: 'largest face, whatever its quality',
};

/** The section, and what the engines are compared by. */
export interface AttSection extends Section {
  readonly enrolled: {
    readonly report: PairsReport;
    /** Of each genuine pair, in the set's order, whether it is refused at fmr 1e-4 on these pairs, and whose it is. */
    readonly missed: readonly { readonly person: number; readonly missed: boolean }[];
  };
}

function missedPairs(scored: readonly ScoredPair[], threshold: number): AttSection['enrolled']['missed'] {
  const pairsEach = (photosEach * (photosEach - 1)) / 2;
  return scored
    .filter(({ same }) => same)
    .map(({ score }, i) => ({
      person: Math.floor(i / pairsEach),
      // A pair that could not be compared is not matched.
      missed: score === null || score < threshold,
    }));
}

/** Small, grey, slightly varied photos of few people: a check against surprises, not a figure to quote. */
export async function attSection(engine: FaceEngine, data: string): Promise<AttSection> {
  const pairs = allPairs(join(data, photoSets.att.folder));
  const columns: string[][] = [];
  let enrolled: AttSection['enrolled'] | null = null;
  for (const faceRule of ['one', 'largest'] as const) {
    const enrolments = await enrolAll(
      engine,
      pairs.flatMap(({ left, right }) => [left, right]),
      faceRule,
    );
    const scored = scorePairs(engine, pairs, enrolments);
    const report = reportPairs({
      engineId: engine.engineId,
      shippedThreshold: engine.matchThreshold,
      faceRule,
      pairs: scored,
      enrolments,
      nameOf: (path) => path,
    });
    wipeEnrolments(enrolments.values());
    if (faceRule === 'one') enrolled = { report, missed: missedPairs(scored, report.atFmr['1e-4']?.threshold ?? 0) };
    columns.push([
      ruleText[faceRule],
      `${report.images - report.failuresToEnrol.length} of ${report.images}`,
      `${report.pairs.comparedGenuine} / ${report.pairs.comparedImpostor}`,
      report.auc?.toFixed(6) ?? '–',
      report.eer ? report.eer.eer.toFixed(4) : '–',
      ...quotedRates.map((rate) => {
        const point = report.atFmr[rate];
        return point ? describeRate(point.fnmr) : '–';
      }),
      describeRate(report.atShippedThreshold.fmr),
      describeRate(report.atShippedThreshold.fnmr),
    ]);
  }
  const labels = [
    '',
    'enrolled',
    'genuine / impostor pairs',
    'AUC',
    'EER',
    ...quotedRates.map((rate) => `fnmr at fmr ${rate}`),
    'fmr at the shipped threshold',
    'fnmr at the shipped threshold',
  ];
  if (enrolled === null) throw new Error('the enrolment rule is one of those measured');
  return {
    enrolled,
    claims: [],
    markdown: [
      '## Small variation: AT&T faces',
      '',
      'Forty people before a dark wall, 92×112 grey pixels: far below what a phone delivers, and too few people to quote an accuracy.',
      'What it tells: on such material the threshold refuses more genuine pairs than on better photos, and lets in no more strangers.',
      '',
      markdownTable(labels.map((label, i) => [label, ...columns.map((column) => column[i] ?? '')])),
    ].join('\n'),
  };
}
