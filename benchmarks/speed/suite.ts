import type { Timeline } from './draw-timeline.ts';

/** One thing that is timed. */
export interface BenchCase {
  /** Unique within its suite. */
  readonly name: string;
  /** Does the work once; a promise is awaited. */
  readonly run: () => unknown;
  /** Throws unless `run` does what its name says. Runs before anything is timed, and in the tests. */
  readonly check: () => void | Promise<void>;
  /** Bytes that one run works on, for a throughput column. */
  readonly bytes?: number;
}

/** How many times faster one case is than another, by interleaved rounds. */
export interface Ratio {
  readonly name: string;
  readonly fast: string;
  readonly slow: string;
  /** The ratio that must be reached; none for a mere comparison. */
  readonly atLeast?: number;
}

/** A figure that is computed from the medians rather than timed by itself. */
export interface DerivedFigure {
  readonly name: string;
  /** @param medianMs median of a case by name, in milliseconds */
  readonly text: (medianMs: (name: string) => number) => string;
}

/** What a suite timed within its cases, one value each time. */
export interface Spread {
  readonly name: string;
  /** Milliseconds. */
  readonly values: readonly number[];
}

/** A value that must not be exceeded, where a ratio of cases does not say it. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly atMost: number;
  readonly unit: 'ms' | '×';
}

export interface BenchSuite {
  readonly title: string;
  /** What is compared and how, for the reader of the table. */
  readonly about: string;
  readonly cases: readonly BenchCase[];
  readonly ratios: readonly Ratio[];
  readonly figures?: readonly DerivedFigure[];
  /** Called once, when everything is warm: what was timed before does not count. */
  readonly beginMeasuring?: () => void;
  readonly spreads?: () => readonly Spread[];
  /** @param medianMs median of a case by name, in milliseconds */
  readonly bars?: (medianMs: (name: string) => number) => readonly Bar[];
  readonly timeline?: () => Timeline;
  /** Interleaved rounds; 21 unless cases take seconds. */
  readonly rounds?: number;
  /**
   * How long a case runs before the next has its turn, 40 ms unless one run is so long that its caches must warm up
   * again.
   */
  readonly batchMs?: number;
  /**
   * 'wall' where other processes do the work: the clock on the wall then times it, and benny, which runs a case again
   * and again, is left out. 'processor' by default.
   */
  readonly clock?: 'processor' | 'wall';
  /** What could not be measured here, and why. */
  readonly skipped?: readonly string[];
  /** Lets go what the cases needed. */
  readonly close?: () => Promise<void>;
}

/**
 * `full` for measuring; `check` for the tests, where only the largest inputs are smaller and every case still runs.
 */
export type Scale = 'full' | 'check';

export type SuiteFactory = (scale: Scale) => Promise<BenchSuite>;

export const suiteNames = [
  'aead',
  'match',
  'image',
  'record',
  'pack',
  'engine',
  'engines',
  'frame',
  'attempt',
  'enrolment',
  'sync',
  'overload',
  'neighbours',
] as const;
export type SuiteName = (typeof suiteNames)[number];

export function isSuiteName(name: string): name is SuiteName {
  return (suiteNames as readonly string[]).includes(name);
}

export async function loadSuite(name: SuiteName, scale: Scale): Promise<BenchSuite> {
  const module: { createSuite: SuiteFactory } = await import(`./suites/${name}.ts`);
  return module.createSuite(scale);
}
