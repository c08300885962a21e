import type { FaceEngine } from '@svc/face-engine';
import { peopleBootstrap95, peopleCells } from '../bootstrap.ts';
import {
  areaUnderRoc,
  type EqualErrorRate,
  equalErrorRate,
  operatingPoint,
  type Rate,
  rateOf,
  type ScoreSets,
  scoreSets,
  thresholdAtFmr,
} from '../rates.ts';
import { type Enrolments, type FaceRule, type NamedFailure, namedFailures } from './enrolment.ts';

/** The people of a pair: 0 … people − 1, the same twice for a genuine pair. */
export type PairPeople = readonly [number, number];

/**
 * Derives the people from a list of pairs: photos linked by genuine pairs, directly or indirectly, are one person's;
 * every other photo is another person's.
 */
export function peopleOfPairs(pairs: readonly ListedPair[]): PairPeople[] {
  const parent = new Map<string, string>();
  const rootOf = (photo: string): string => {
    let root = photo;
    for (let next = parent.get(root); next !== undefined; next = parent.get(root)) root = next;
    // Path compression (union-find).
    for (let at = photo; at !== root; ) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { left, right, same } of pairs) {
    if (!same) continue;
    const [a, b] = [rootOf(left), rootOf(right)];
    if (a !== b) parent.set(b, a);
  }
  const numbers = new Map<string, number>();
  const personOf = (photo: string): number => {
    const root = rootOf(photo);
    const number = numbers.get(root) ?? numbers.size;
    numbers.set(root, number);
    return number;
  };
  return pairs.map(({ left, right }) => [personOf(left), personOf(right)]);
}

/** Two photos to compare, by path. */
export interface ListedPair {
  readonly left: string;
  readonly right: string;
  /** Whether both photos show one person. */
  readonly same: boolean;
}

/** The false match rates in every report. */
export const quotedRates = ['1e-2', '1e-3', '1e-4'] as const;

/** Error rates at one threshold. */
export interface RatesAtThreshold {
  readonly threshold: number;
  readonly fmr: Rate;
  readonly fnmr: Rate;
  /** Generalised false reject rate (ISO/IEC 19795-1): genuine pairs that could not be compared count as not matched. */
  readonly generalisedFnmr: Rate;
  /** 95 % intervals by resampling people; null without an error. */
  readonly personBootstrap95: {
    readonly fmr: readonly [number, number] | null;
    readonly fnmr: readonly [number, number] | null;
  };
}

export interface ReportedPoint extends RatesAtThreshold {
  /** Whether there are impostor pairs enough for one false match at this rate; otherwise the threshold is a bound. */
  readonly resolved: boolean;
}

export interface PairsReport {
  readonly kind: 'pairs';
  readonly engineId: string;
  readonly faceRule: FaceRule;
  readonly intervals: 'Clopper-Pearson 95 %';
  readonly images: number;
  readonly pairs: {
    readonly listed: number;
    readonly genuine: number;
    readonly impostor: number;
    /** Pairs whose two photos were enrolled. */
    readonly comparedGenuine: number;
    readonly comparedImpostor: number;
  };
  readonly failuresToEnrol: readonly NamedFailure[];
  readonly auc: number | null;
  readonly eer: EqualErrorRate | null;
  /** Error rates by target false match rate, at the threshold that reaches it on these pairs. */
  readonly atFmr: Readonly<Record<(typeof quotedRates)[number], ReportedPoint | null>>;
  /** Error rates at the engine's shipped threshold. */
  readonly atShippedThreshold: RatesAtThreshold;
}

/** A scored pair with its two people. */
export interface PeoplePair {
  readonly same: boolean;
  /** Comparison score; null where one of the two photos could not be enrolled. */
  readonly score: number | null;
  readonly people: PairPeople;
}

/** Comparison scores of the listed pairs; null if a photo has no reference. */
export function scorePairs(
  engine: Pick<FaceEngine, 'core'>,
  pairs: readonly ListedPair[],
  enrolments: Enrolments,
): PeoplePair[] {
  const people = peopleOfPairs(pairs);
  return pairs.map(({ left, right, same }, i) => {
    const a = enrolments.get(left);
    const b = enrolments.get(right);
    const score = a?.ok && b?.ok ? engine.core.cosine(a.reference, b.reference) : null;
    return { same, score, people: people[i] ?? [0, 0] };
  });
}

/** Error rates of scored pairs at one threshold, with both intervals. */
export function ratesAt(pairs: readonly PeoplePair[], threshold: number): RatesAtThreshold {
  const scores = compared(pairs);
  const genuine = pairs.filter((pair) => pair.same).length;
  const at = operatingPoint(scores, threshold);
  const bootstrap = (same: boolean) =>
    peopleBootstrap95(
      peopleCells(
        pairs.flatMap(({ people, score, ...pair }) =>
          pair.same === same && score !== null ? [{ people, isError: same !== score >= threshold }] : [],
        ),
      ),
    );
  return {
    ...at,
    generalisedFnmr: rateOf(at.fnmr.errors + genuine - scores.genuine.length, genuine),
    personBootstrap95: { fmr: bootstrap(false), fnmr: bootstrap(true) },
  };
}

function compared(pairs: readonly PeoplePair[]): ScoreSets {
  const scores = (same: boolean) =>
    pairs.flatMap((pair) => (pair.same === same && pair.score !== null ? [pair.score] : []));
  return scoreSets(scores(true), scores(false));
}

export function reportPairs(input: {
  readonly engineId: string;
  readonly shippedThreshold: number;
  readonly faceRule: FaceRule;
  readonly pairs: readonly PeoplePair[];
  readonly enrolments: Enrolments;
  readonly nameOf: (path: string) => string;
}): PairsReport {
  const { pairs } = input;
  const scores = compared(pairs);
  const genuine = pairs.filter((pair) => pair.same).length;
  const atFmr = (target: string): ReportedPoint | null => {
    const threshold = thresholdAtFmr(scores, Number(target));
    if (threshold === null) return null;
    return { ...ratesAt(pairs, threshold), resolved: scores.impostor.length * Number(target) >= 1 };
  };
  return {
    kind: 'pairs',
    engineId: input.engineId,
    faceRule: input.faceRule,
    intervals: 'Clopper-Pearson 95 %',
    images: input.enrolments.size,
    pairs: {
      listed: pairs.length,
      genuine,
      impostor: pairs.length - genuine,
      comparedGenuine: scores.genuine.length,
      comparedImpostor: scores.impostor.length,
    },
    failuresToEnrol: namedFailures(input.enrolments, input.nameOf),
    auc: areaUnderRoc(scores),
    eer: equalErrorRate(scores),
    atFmr: { '1e-2': atFmr('1e-2'), '1e-3': atFmr('1e-3'), '1e-4': atFmr('1e-4') },
    atShippedThreshold: ratesAt(pairs, input.shippedThreshold),
  };
}
