import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Timeline } from './draw-timeline.ts';
import type { Machine } from './environment.ts';
import type { Bar, SuiteName } from './suite.ts';

export interface CaseResult {
  readonly name: string;
  /** Processor time over the interleaved rounds. */
  readonly medianMs: number;
  readonly q1Ms: number;
  readonly q3Ms: number;
  readonly medianWallMs: number;
  readonly rounds: number;
  readonly bytes: number | null;
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

export interface SpreadResult {
  readonly name: string;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  readonly count: number;
}

/** Result file of a suite's process. */
export interface SuiteResult extends Machine {
  readonly suite: SuiteName;
  readonly title: string;
  readonly about: string;
  readonly cases: readonly CaseResult[];
  readonly ratios: readonly RatioResult[];
  readonly figures: readonly { readonly name: string; readonly text: string }[];
  readonly spreads: readonly SpreadResult[];
  readonly bars: readonly Bar[];
  readonly timeline: Timeline | null;
  readonly skipped: readonly string[];
}

export const resultsFolder = fileURLToPath(new URL('../results', import.meta.url));
export const resultFile = (name: SuiteName): string => join(resultsFolder, `${name}.json`);

/** A bar that was missed. */
export interface Missed {
  readonly name: string;
  readonly text: string;
}

/** A missing value is missed too. */
export const isMet = ({ value, atMost }: Bar): boolean => Number.isFinite(value) && value <= atMost;

export const missed = ({ ratios, bars }: SuiteResult): readonly Missed[] => [
  ...ratios
    .filter(({ median, atLeast }) => atLeast !== null && median < atLeast)
    .map(({ name, median, atLeast }) => ({ name, text: `${median.toFixed(2)}, bar ${atLeast}` })),
  ...bars
    .filter((bar) => !isMet(bar))
    .map(({ name, value, atMost }) => ({ name, text: `${value.toFixed(2)}, at most ${atMost}` })),
];

/** A stored result of a suite; old ones have no spreads and bars. */
export function parseResult(text: string): SuiteResult {
  const result: SuiteResult = JSON.parse(text);
  return { ...result, spreads: result.spreads ?? [], bars: result.bars ?? [], timeline: result.timeline ?? null };
}

/** JSON with one line per member and list entry, for small diffs. */
export function formatResult(members: object, indent = '\n'): string {
  const inner = `${indent}  `;
  const lines = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const text = Array.isArray(value)
      ? `[${value.map((entry) => `${inner}  ${JSON.stringify(entry)}`).join(',')}${value.length > 0 ? inner : ''}]`
      : hasList(value)
        ? formatResult(value, inner)
        : JSON.stringify(value);
    return `${inner}${JSON.stringify(name)}: ${text}`;
  });
  return `{${lines.join(',')}${indent}}`;
}

const hasList = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).some(Array.isArray);
