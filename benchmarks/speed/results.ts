import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Machine } from './environment.ts';
import type { SuiteName } from './suite.ts';

export interface CaseResult {
  readonly name: string;
  /** Over the interleaved rounds, by the suite's clock. */
  readonly medianMs: number;
  readonly q1Ms: number;
  readonly q3Ms: number;
  /** benny's own cycle, for cases in this process. */
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

/** Result file of a suite's process. */
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

/** A bar that was missed. */
export interface Missed {
  readonly name: string;
  readonly text: string;
}

/** A ratio that is not a number is missed too. */
export const missed = ({ ratios }: SuiteResult): readonly Missed[] =>
  ratios
    .filter(({ median, atLeast }) => atLeast !== null && !(median >= atLeast))
    .map(({ name, median, atLeast }) => ({ name, text: `${median.toFixed(2)}, bar ${atLeast}` }));

export const readResult = (name: SuiteName): SuiteResult => JSON.parse(readFileSync(resultFile(name), 'utf8'));

/** JSON with one line per member and list entry, for small diffs. */
export function formatResult(members: object): string {
  const lines = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const isList = Array.isArray(value) && value.length > 0;
    const text = isList ? `[${value.map((entry) => `\n    ${JSON.stringify(entry)}`)}\n  ]` : JSON.stringify(value);
    return `\n  ${JSON.stringify(name)}: ${text}`;
  });
  return `{${lines}\n}\n`;
}
