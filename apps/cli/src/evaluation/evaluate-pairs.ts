import type { FaceEngine } from '@svc/face-engine';
import {
  areaUnderRoc,
  type EqualErrorRate,
  equalErrorRate,
  operatingPoint,
  thresholdAtFmr,
} from '../statistics/error-rates.ts';
import type { Rate } from '../statistics/interval.ts';
import { rateOf } from '../statistics/interval.ts';
import { type ScoreSets, scoreSets } from '../statistics/score-sets.ts';
import { type ScoredPair, type TenFoldAccuracy, tenFoldAccuracy } from '../statistics/ten-fold.ts';
import { type Enrolment, type FaceRule, type NamedFailure, namedFailures } from './enrolment.ts';
import type { ListedPair } from './pairs-csv.ts';

/** The false match rates that every report quotes. */
export const quotedRates = ['1e-2', '1e-3', '1e-4'] as const;

/** LFW's own number of pairs: only then is its ten-fold protocol meant. */
const lfwPairs = 6000;

/** Error rates at one threshold. */
export interface ReportedPoint {
  readonly threshold: number;
  readonly fmr: Rate;
  readonly fnmr: Rate;
  /** Generalised false reject rate (ISO/IEC 19795-1): genuine pairs that could not be compared count as not matched. */
  readonly generalisedFnmr: Rate;
  /** Whether there are impostor pairs enough for one false match at this rate; where not, the threshold only bounds it. */
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
  /** Error rates by target false match rate, with the threshold that reaches it on these very pairs. */
  readonly atFmr: Readonly<Record<(typeof quotedRates)[number], ReportedPoint | null>>;
  /** Error rates at the threshold that the engine ships with. */
  readonly atShippedThreshold: Omit<ReportedPoint, 'resolved'>;
  /** Only with exactly 6,000 pairs. */
  readonly tenFold: TenFoldAccuracy | null;
}

/** Comparison scores of the listed pairs; null where a photo has no reference. */
export function scorePairs(
  engine: FaceEngine,
  pairs: readonly ListedPair[],
  enrolments: ReadonlyMap<string, Enrolment>,
): ScoredPair[] {
  return pairs.map(({ left, right, same }) => {
    const a = enrolments.get(left);
    const b = enrolments.get(right);
    return { same, score: a?.ok && b?.ok ? engine.core.cosine(a.reference, b.reference) : null };
  });
}

function compared(pairs: readonly ScoredPair[]): ScoreSets {
  const scores = (same: boolean) =>
    pairs.flatMap((pair) => (pair.same === same && pair.score !== null ? [pair.score] : []));
  return scoreSets(scores(true), scores(false));
}

export function reportPairs(input: {
  readonly engineId: string;
  readonly shippedThreshold: number;
  readonly faceRule: FaceRule;
  readonly pairs: readonly ScoredPair[];
  readonly enrolments: ReadonlyMap<string, Enrolment>;
  readonly nameOf: (path: string) => string;
}): PairsReport {
  const { pairs } = input;
  const scores = compared(pairs);
  const genuine = pairs.filter((pair) => pair.same).length;
  const point = (threshold: number): Omit<ReportedPoint, 'resolved'> => {
    const at = operatingPoint(scores, threshold);
    const uncompared = genuine - scores.genuine.length;
    return { ...at, generalisedFnmr: rateOf(at.fnmr.errors + uncompared, genuine) };
  };
  const atFmr = (target: string): ReportedPoint | null => {
    const threshold = thresholdAtFmr(scores, Number(target));
    if (threshold === null) return null;
    return { ...point(threshold), resolved: scores.impostor.length * Number(target) >= 1 };
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
    atShippedThreshold: point(input.shippedThreshold),
    tenFold: pairs.length === lfwPairs ? tenFoldAccuracy(pairs) : null,
  };
}
