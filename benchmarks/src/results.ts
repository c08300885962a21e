import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Machine } from './environment.ts';
import type { SuiteName } from './suite.ts';

export interface CaseResult {
  readonly name: string;
  /** Processor time over the interleaved rounds. */
  readonly medianMs: number;
  readonly q1Ms: number;
  readonly q3Ms: number;
  readonly medianWallMs: number;
  readonly rounds: number;
  readonly bytes: number | null;
  /** benny's own cycle, where a case runs by itself. */
  readonly benny: { readonly ops: number; readonly marginPercent: number } | null;
}

export interface RatioResult {
  readonly name: string;
  /** Of the rounds' own ratios. */
  readonly median: number;
  readonly q1: number;
  readonly q3: number;
  readonly atLeast: number | null;
}

/** What a suite's process leaves behind. */
export interface SuiteResult extends Machine {
  readonly suite: SuiteName;
  readonly title: string;
  readonly about: string;
  readonly cases: readonly CaseResult[];
  readonly ratios: readonly RatioResult[];
  readonly figures: readonly { readonly name: string; readonly text: string }[];
  readonly skipped: readonly string[];
}

export const resultsFolder = fileURLToPath(new URL('../results', import.meta.url));
export const resultFile = (name: SuiteName): string => join(resultsFolder, `${name}.json`);

/** Bars that were missed. */
export const missed = (result: SuiteResult): readonly RatioResult[] =>
  result.ratios.filter(({ median, atLeast }) => atLeast !== null && median < atLeast);
