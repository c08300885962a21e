import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { duration, openings, renderReport } from './report.ts';
import { formatResult, missed, parseResult, resultFile, type SuiteResult } from './results.ts';
import { suiteNames } from './suite.ts';

const result: SuiteResult = {
  suite: 'match',
  title: 'Matching',
  about: 'About it.',
  date: '2026-01-02',
  machine: 'a processor, 2 cores',
  versions: { node: '20.0.0' },
  cases: [
    {
      name: 'fast',
      medianMs: 0.5,
      q1Ms: 0.4,
      q3Ms: 0.6,
      medianWallMs: 0.5,
      rounds: 3,
      bytes: 1e6,
      benny: { ops: 2000, marginPercent: 1 },
    },
    { name: 'slow', medianMs: 5, q1Ms: 4, q3Ms: 6, medianWallMs: 5, rounds: 3, bytes: null, benny: null },
  ],
  ratios: [
    { name: 'reached one', median: 10, q1: 9, q3: 11, atLeast: 8 },
    { name: 'missed one', median: 3, q1: 2, q3: 4, atLeast: 4 },
  ],
  figures: [{ name: 'share', text: '12 %' }],
  spreads: [{ name: 'a frame', medianMs: 20, p95Ms: 30, longestMs: 41, count: 7 }],
  bars: [
    { name: 'held', value: 30, atMost: 66.7, unit: 'ms' },
    { name: 'exceeded', value: 0.75, atMost: 0.5, unit: '×' },
  ],
  timeline: null,
  skipped: ['something'],
};

describe('report', () => {
  it('lists missed bars, and what was not measured', () => {
    const report = renderReport([result]);
    expect(report).toContain('Bars missed: Matching: missed one; Matching: exceeded.');
    expect(report).toContain('| a frame | 20 ms | 30 ms | 41 ms | 7 |');
    expect(report).toContain('| held | 30 ms | 66.7 ms: reached |');
    expect(report).toContain('| exceeded | 0.75× | 0.50×: **missed** |');
    expect(report).toContain('| missed one | 3.00× | 2.00 – 4.00 | ≥ 4: **missed** |');
    expect(report).toContain('| fast | 500 µs | 400 µs – 600 µs | 2000 ± 1 % | 2000 MB/s |');
    expect(report).toContain('Not measured: something');
    expect(report).toContain('Versions: node 20.0.0.');
  });

  it("stores results in the repository's format", () => {
    const results = suiteNames.map((name) => parseResult(readFileSync(resultFile(name), 'utf8')));
    const written = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
    expect(written).toBe(renderReport(results));
  });

  it('has a line for each case in the repository', () => {
    for (const name of suiteNames) {
      const text = readFileSync(resultFile(name), 'utf8');
      expect(`${formatResult(JSON.parse(text))}\n`).toBe(text);
    }
  });

  it('reports if no bar was missed', () => {
    const reached = { ...result, ratios: result.ratios.slice(0, 1), bars: result.bars.slice(0, 1) };
    expect(renderReport([reached])).toContain('All bars are reached.');
  });

  it('counts a bar without a value as missed', () => {
    const bars = [{ name: 'never timed', value: Number.NaN, atMost: 1, unit: 'ms' }] as const;
    expect(missed({ ...result, ratios: [], bars }).map(({ name }) => name)).toEqual(['never timed']);
  });

  it('reads results of suites without bars', () => {
    const { spreads, bars, timeline, ...before } = result;
    expect(parseResult(JSON.stringify(before))).toEqual({ ...before, spreads: [], bars: [], timeline: null });
  });

  it('finds the lookup times in lists from files', () => {
    const [each] = result.cases;
    const cases = each === undefined ? [] : [{ ...each, name: 'open one of 1,000, from a file' }, each];
    expect(openings([{ ...result, suite: 'pack', cases }, result])).toEqual([{ people: '1,000', ms: 0.5 }]);
  });

  it('picks the most readable unit', () => {
    expect([2e-4, 0.25, 12.345, 25_000].map(duration)).toEqual(['200 ns', '250 µs', '12.3 ms', '25 s']);
  });
});
