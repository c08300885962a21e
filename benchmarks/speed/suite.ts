/** One timed operation. */
export interface BenchCase {
  /** Unique within its suite. */
  readonly name: string;
  /** Does the work once; a promise is awaited. */
  readonly run: () => unknown;
  /** Throws unless `run` does what its name says. Runs before timing, and in the tests. */
  readonly check: () => void | Promise<void>;
}

/** A speed-up of one case over another, from interleaved rounds. */
export interface Ratio {
  readonly name: string;
  readonly fast: string;
  readonly slow: string;
  /** The ratio that must be reached; missing for a plain comparison. */
  readonly atLeast?: number;
}

/** A figure computed from the medians. */
export interface DerivedFigure {
  readonly name: string;
  /** @param medianMs median of a case by name, in milliseconds */
  readonly text: (medianMs: (name: string) => number) => string;
}

export interface BenchSuite {
  readonly title: string;
  /** What is compared and how, as text for the table. */
  readonly about: string;
  readonly cases: readonly BenchCase[];
  readonly ratios: readonly Ratio[];
  readonly figures?: readonly DerivedFigure[];
  /** Called once after the warm-up, to discard earlier measurements. */
  readonly beginMeasuring?: () => void;
  /** Interleaved rounds; default 21, fewer if cases take seconds. */
  readonly rounds?: number;
  /**
   * Minimum time of a case before the next one runs; default 40 ms, more if a run is long enough to need warm caches.
   */
  readonly batchMs?: number;
  /**
   * 'wall' if other processes do the work: timed by the wall clock and without benny's repeated runs. Default
   * 'processor'.
   */
  readonly clock?: 'processor' | 'wall';
  /** What could not be measured here, and why. */
  readonly skipped?: readonly string[];
  /** Disposes what the cases needed. */
  readonly close?: () => Promise<void>;
}

/** `full` for measuring; `check` for the tests, with smaller largest inputs and all cases. */
export type Scale = 'full' | 'check';

export type SuiteFactory = (scale: Scale) => Promise<BenchSuite>;

export const suiteNames = ['scalar', 'pack', 'engines', 'frame', 'enrolment', 'sync', 'overload'] as const;
export type SuiteName = (typeof suiteNames)[number];

export function isSuiteName(name: string): name is SuiteName {
  return (suiteNames as readonly string[]).includes(name);
}

export async function loadSuite(name: SuiteName, scale: Scale): Promise<BenchSuite> {
  const module: { createSuite: SuiteFactory } = await import(`./suites/${name}.ts`);
  return module.createSuite(scale);
}
