import { describe, expect, it } from 'vitest';
import { duration, renderReport } from './report.ts';
import type { SuiteResult } from './results.ts';

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
  skipped: ['something'],
};

describe('report', () => {
  it('names what was missed, and what was not measured', () => {
    const report = renderReport([result]);
    expect(report).toContain('Bars missed: Matching: missed one.');
    expect(report).toContain('| missed one | 3.00× | 2.00 – 4.00 | ≥ 4: **missed** |');
    expect(report).toContain('| fast | 500 µs | 400 µs – 600 µs | 2000 ± 1 % | 2000 MB/s |');
    expect(report).toContain('Not measured: something');
    expect(report).toContain('Versions: node 20.0.0.');
  });

  it('says when all is well', () => {
    expect(renderReport([{ ...result, ratios: result.ratios.slice(0, 1) }])).toContain('All bars are reached.');
  });

  it('picks the unit that reads best', () => {
    expect([2e-4, 0.25, 12.345, 25_000].map(duration)).toEqual(['200 ns', '250 µs', '12.3 ms', '25 s']);
  });
});
