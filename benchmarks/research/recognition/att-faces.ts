import { join } from 'node:path';
import type { Claim } from '../markdown.ts';
import { describeRate } from '../rates.ts';
import type { ComparingEngine, Enrolments } from './enrolment.ts';
import { type ListedPair, type PairsReport, type PeoplePair, ratesAt, reportPairs, scorePairs } from './pairs.ts';
import { photoSets } from './photo-sets.ts';

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

/** Figures of one engine, and what is claimed of them. */
export interface AttFigures {
  readonly claims: readonly Claim[];
  readonly report: PairsReport;
  /** Of each genuine pair, in the set's order: whether it is refused at fmr 1e-4 on these pairs, and the person. */
  readonly missed: readonly { readonly person: number; readonly missed: boolean }[];
}

function missedPairs(scored: readonly PeoplePair[], threshold: number): AttFigures['missed'] {
  return scored
    .filter(({ same }) => same)
    .map(({ score, people: [person] }) => ({
      person,
      // A pair that could not be compared counts as no match.
      missed: score === null || score < threshold,
    }));
}

/** Small, grey photos of few people with little variation: a sanity check, not a figure to quote. */
export function attFigures(input: {
  readonly engine: ComparingEngine;
  readonly pairs: readonly ListedPair[];
  readonly enrolments: Enrolments;
  readonly portraitThreshold: number;
  /** Checks the claims made about the preferred engine. */
  readonly isPreferred: boolean;
}): AttFigures {
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
  const { fnmr, personBootstrap95 } = ratesAt(scored, portraitThreshold);
  return {
    report,
    missed: missedPairs(scored, report.atFmr['1e-4']?.threshold ?? 0),
    claims: input.isPreferred
      ? [
          {
            claim: `fnmr of at most ${100 * claimedFnmr} % on AT&T, threshold from odd portraits`,
            holds: (fnmr.rate ?? 1) <= claimedFnmr,
            measured: describeRate(fnmr, personBootstrap95.fnmr),
          },
        ]
      : [],
  };
}
