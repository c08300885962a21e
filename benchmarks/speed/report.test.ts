import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { duration, renderReport } from './report.ts';
import { missed, readResult, type SuiteResult } from './results.ts';
import { suiteNames } from './suite.ts';

const result: SuiteResult = {
  suite: 'scalar',
  title: 'Sealing',
  about: 'About it.',
  date: '2026-01-02',
  machine: 'a processor, 2 cores',
  versions: { node: '20.0.0' },
  cases: [
    { name: 'fast', medianMs: 0.5, q1Ms: 0.4, q3Ms: 0.6, benny: { ops: 2000, marginPercent: 1 } },
    { name: 'slow', medianMs: 5, q1Ms: 4, q3Ms: 6, benny: null },
  ],
  ratios: [
    { name: 'reached one', median: 10, q1: 9, q3: 11, atLeast: 8 },
    { name: 'missed one', median: 3, q1: 2, q3: 4, atLeast: 4 },
  ],
  figures: [{ name: 'share', text: '12 %' }],
  skipped: ['something'],
};

describe('report', () => {
  it('lists missed ratios, and what was not measured', () => {
    const report = renderReport([result]);
    expect(report).toContain('Ratios are too low in “Sealing”.');
    expect(report).toContain('| reached one | 10.00× (≥ 8) | 9.00–11.00 |');
    expect(report).toContain('| missed one | **3.00×** (missed: 4) | 2.00–4.00 |');
    expect(report).toContain('| fast | 500 µs |');
    expect(report).toContain('Not measured: something');
    expect(report).toContain('Versions: node 20.0.0.');
  });

  it('makes a table of cases with rows and columns', () => {
    const [first, second] = result.cases.map((each, i) => ({ ...each, name: i === 0 ? 'a: x' : 'b: y' }));
    const report = renderReport([{ ...result, cases: first && second ? [first, second] : [] }]);
    expect(report).toContain('| Median | x | y |\n| --- | --: | --: |\n| a | 500 µs |  |\n| b |  | 5 ms |');
  });

  it('is what docs/internals/benchmarks.md says', () => {
    const written = readFileSync(new URL('../../docs/internals/benchmarks.md', import.meta.url), 'utf8');
    expect(written).toBe(renderReport(suiteNames.map(readResult)));
  });

  it('counts a bar without a value as missed', () => {
    const ratios = [{ name: 'never timed', median: Number.NaN, q1: 0, q3: 0, atLeast: 1 }];
    expect(missed({ ...result, ratios }).map(({ name }) => name)).toEqual(['never timed']);
  });

  it('picks the most readable unit', () => {
    expect([2e-4, 0.25, 12.345, 25_000].map(duration)).toEqual(['200 ns', '250 µs', '12.3 ms', '25 s']);
  });
});
