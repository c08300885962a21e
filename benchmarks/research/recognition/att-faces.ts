import { join } from 'node:path';
import { markdownTable } from '../markdown.ts';
import { describeRate } from '../rates.ts';
import type { ComparingEngine, Enrolments } from './enrolment.ts';
import {
  type ListedPair,
  type PairsReport,
  type PeoplePair,
  quotedRates,
  type RatesAtThreshold,
  ratesAt,
  reportPairs,
  scorePairs,
} from './pairs.ts';
import { photoSets, type Section } from './photo-sets.ts';

const people = 40;
const photosEach = 10;
/** Maximum number of genuine pairs that the preferred engine may refuse at the portraits' threshold. */
const claimedFnmr = 0.01;

/** The photos of each person. */
export const attPeople = (data: string): string[][] =>
  Array.from({ length: people }, (_, person) =>
    Array.from({ length: photosEach }, (_photo, i) =>
      join(data, photoSets.att.folder, `s${person + 1}`, `${i + 1}.pgm`),
    ),
  );

/** All pairs of photos. */
export function attPairs(data: string): ListedPair[] {
  const photos = attPeople(data).flatMap((paths, person) => paths.map((path) => ({ person, path })));
  return photos.flatMap((left, i) =>
    photos.slice(i + 1).map((right) => ({ left: left.path, right: right.path, same: left.person === right.person })),
  );
}

/** The section, and the data for comparing engines. */
export interface AttSection extends Section {
  readonly report: PairsReport;
  /** At the threshold chosen on the odd-numbered portraits. */
  readonly atPortraitThreshold: RatesAtThreshold;
  /** Of each genuine pair, in the set's order: whether it is refused at fmr 1e-4 on these pairs, and the person. */
  readonly missed: readonly { readonly person: number; readonly missed: boolean }[];
}

function missedPairs(scored: readonly PeoplePair[], threshold: number): AttSection['missed'] {
  return scored
    .filter(({ same }) => same)
    .map(({ score, people: [person] }) => ({
      person,
      // A pair that could not be compared counts as no match.
      missed: score === null || score < threshold,
    }));
}

/** Small, grey photos of few people with little variation: a sanity check, not a figure to quote. */
export function attSection(input: {
  readonly engine: ComparingEngine;
  readonly pairs: readonly ListedPair[];
  readonly enrolments: Enrolments;
  readonly portraitThreshold: number;
  /** Checks the claims made about the preferred engine. */
  readonly isPreferred: boolean;
}): AttSection {
  const { engine, pairs, portraitThreshold } = input;
  const faces = new Set(pairs.flatMap(({ left, right }) => [left, right]));
  const enrolments = new Map([...input.enrolments].filter(([path]) => faces.has(path)));
  const scored = scorePairs(engine, pairs, enrolments);
  const report = reportPairs({
    engineId: engine.engineId,
    shippedThreshold: engine.matchThreshold,
    faceRule: 'one',
    pairs: scored,
    enrolments,
    nameOf: (path) => path,
  });
  const atPortraitThreshold = ratesAt(scored, portraitThreshold);
  const { fnmr, personBootstrap95 } = atPortraitThreshold;
  const row = (label: string, point: RatesAtThreshold | null) =>
    point === null
      ? [label, '–', 'no pairs', 'no pairs']
      : [
          label,
          point.threshold.toFixed(4),
          describeRate(point.fmr, point.personBootstrap95.fmr),
          describeRate(point.fnmr, point.personBootstrap95.fnmr),
        ];
  return {
    report,
    atPortraitThreshold,
    missed: missedPairs(scored, report.atFmr['1e-4']?.threshold ?? 0),
    claims: input.isPreferred
      ? [
          {
            claim: `At most ${100 * claimedFnmr} % of the genuine pairs of the AT&T faces are below the threshold chosen on the odd-numbered portraits`,
            holds: (fnmr.rate ?? 1) <= claimedFnmr,
            measured: describeRate(fnmr, personBootstrap95.fnmr),
          },
        ]
      : [],
    markdown: [
      '### Small variation: AT&T faces',
      '',
      'Forty people before a dark wall, 92×112 grey pixels: far below what a phone delivers, and too few people to quote an accuracy.',
      'What it tells: on such material the threshold refuses more genuine pairs than on better photos, and lets in no more strangers.',
      '',
      `Enrolled: ${report.images - report.failuresToEnrol.length} of ${report.images}. ${report.pairs.comparedGenuine} genuine and ${report.pairs.comparedImpostor} impostor pairs. AUC ${report.auc?.toFixed(6) ?? '–'}, EER ${report.eer?.eer.toFixed(4) ?? '–'}.`,
      '',
      markdownTable([
        ['threshold', '', 'fmr', 'fnmr'],
        ...quotedRates.map((rate) => row(`fmr ${rate} on these pairs`, report.atFmr[rate])),
        row('chosen on the odd-numbered portraits', atPortraitThreshold),
        row('shipped', report.atShippedThreshold),
      ]),
    ].join('\n'),
  };
}
