import { rankQuantile } from '../../inputs/summary.ts';
import { type FalseMatch, personBootstrap95 } from '../bootstrap.ts';
import { type Rate, rateOf, scoreSets, thresholdAtFmr } from '../rates.ts';
import { type ComparingEngine, type Enrolments, type NamedFailure, namedFailures } from './enrolment.ts';

/** False matches among all pairs of a set with one photo per person. */
export interface ImpostorRate {
  readonly photos: number;
  readonly fmr: Rate;
  /**
   * 95 % interval by resampling people, because pairs that share a person are not independent; null without a false
   * match.
   */
  readonly personBootstrap95: readonly [number, number] | null;
}

export interface GalleryReport {
  readonly kind: 'gallery';
  readonly engineId: string;
  readonly intervals: 'Clopper-Pearson 95 %';
  readonly images: number;
  readonly enrolled: number;
  readonly failuresToEnrol: readonly NamedFailure[];
  readonly failureToEnrolRate: Rate;
  /** Quantiles of the impostor scores of all pairs. */
  readonly impostorScores: {
    readonly median: number;
    readonly p99: number;
    readonly p9999: number;
    readonly highest: number;
  };
  /**
   * The threshold that reaches the target on the odd-numbered photos, and its rates on those and on the even-numbered
   * ones.
   */
  readonly split: {
    readonly targetFmr: number;
    readonly threshold: number;
    readonly odd: ImpostorRate;
    readonly even: ImpostorRate;
  };
  /** The threshold that reaches the target on all photos. */
  readonly allThreshold: number;
  /** The rates of the engine's own threshold on all photos. */
  readonly shipped: ImpostorRate & { readonly threshold: number };
}

/** Scores of all pairs. */
export interface ScoredGallery {
  readonly people: number;
  /** Scores of all pairs, row by row: (0,1), (0,2) … (1,2) … */
  readonly scores: Float32Array;
}

export function scoreGallery(
  { core }: Pick<ComparingEngine, 'core'>,
  references: readonly Float32Array[],
): ScoredGallery {
  const people = references.length;
  const scores = new Float32Array((people * (people - 1)) / 2);
  let next = 0;
  for (const [i, left] of references.entries()) {
    for (const right of references.slice(i + 1)) {
      scores[next] = core.cosine(left, right);
      next += 1;
    }
  }
  return { people, scores };
}

function impostorRate({ people, scores }: ScoredGallery, threshold: number): ImpostorRate {
  const falseMatches: FalseMatch[] = [];
  let next = 0;
  for (let left = 0; left < people; left++) {
    for (let right = left + 1; right < people; right++, next++) {
      if ((scores[next] ?? Number.NaN) >= threshold) falseMatches.push([left, right]);
    }
  }
  return {
    photos: people,
    fmr: rateOf(falseMatches.length, scores.length),
    personBootstrap95: personBootstrap95(people, falseMatches),
  };
}

/**
 * All impostor pairs of a set with one photo per person. The threshold is chosen on the odd-numbered photos (first,
 * third, …) and verified on the even-numbered ones.
 * @param photos in their numbered order
 * @returns null if fewer than two odd-numbered or two even-numbered photos could be enrolled
 */
export function reportGallery(input: {
  readonly engine: ComparingEngine;
  readonly photos: readonly string[];
  readonly enrolments: Enrolments;
  readonly targetFmr: number;
  readonly nameOf: (path: string) => string;
}): GalleryReport | null {
  const { engine, photos, enrolments, targetFmr } = input;
  const references = (keep: (index: number) => boolean) =>
    photos.flatMap((path, index) => {
      const enrolment = enrolments.get(path);
      return enrolment?.ok && keep(index) ? [enrolment.reference] : [];
    });
  const odd = scoreGallery(
    engine,
    references((index) => index % 2 === 0),
  );
  const even = scoreGallery(
    engine,
    references((index) => index % 2 === 1),
  );
  const threshold = thresholdAtFmr(scoreSets([], odd.scores), targetFmr);
  if (threshold === null || even.people < 2) return null;
  const all = scoreGallery(
    engine,
    references(() => true),
  );
  const { impostor: sorted } = scoreSets([], all.scores);
  const quantile = (share: number) => rankQuantile(sorted, share);
  const failures = namedFailures(enrolments, input.nameOf);
  return {
    kind: 'gallery',
    engineId: engine.engineId,
    intervals: 'Clopper-Pearson 95 %',
    images: photos.length,
    enrolled: all.people,
    failuresToEnrol: failures,
    failureToEnrolRate: rateOf(failures.length, photos.length),
    impostorScores: { median: quantile(0.5), p99: quantile(0.99), p9999: quantile(0.9999), highest: quantile(1) },
    split: { targetFmr, threshold, odd: impostorRate(odd, threshold), even: impostorRate(even, threshold) },
    allThreshold: thresholdAtFmr({ genuine: new Float64Array(), impostor: sorted }, targetFmr) ?? threshold,
    shipped: { threshold: engine.matchThreshold, ...impostorRate(all, engine.matchThreshold) },
  };
}
