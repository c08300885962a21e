import type { CalibrationReport } from '@svc/benchmarks/research/recognition/calibration';
import { reportPairs } from '@svc/benchmarks/research/recognition/pairs';
import { expect, it } from 'vitest';
import { describeCalibration, describePairs } from './describe-evaluation.ts';

it('tells of each number of an engine whether it meets its rule', () => {
  const report: CalibrationReport = {
    kind: 'calibration',
    engineId: 'test/1',
    numbers: [
      { name: 'matchThreshold', shipped: 0.47, measured: 0.47, meets: true, note: '' },
      { name: 'turnedMargin', shipped: 0.01, measured: 0.0234, meets: false, note: '' },
      { name: 'enrolmentLimits.coverage', shipped: 0.9, measured: null, meets: true, note: '' },
    ],
    turned: [],
    holds: false,
  };
  const text = describeCalibration(report);
  expect(text).toMatch(/matchThreshold +0\.47 +0\.47 +yes\n/);
  expect(text).toMatch(/turnedMargin +0\.01 +0\.0234 +NO\n/);
  expect(text).toMatch(/coverage +0\.9 +– +–\n/);
  expect(text).toContain('Not every shipped number');
});

it('has a text also with no pair to compare', () => {
  const report = reportPairs({
    engineId: 'test/1',
    shippedThreshold: 0.9,
    faceRule: 'one',
    pairs: [{ same: true, score: null, people: [0, 0] }],
    enrolments: new Map([['/a.jpg', { ok: false, reason: 'no-face' }]]),
    nameOf: (path) => path.slice(1),
  });
  expect(describePairs(report)).toContain('a.jpg: no-face');
  expect(describePairs(report)).toContain('no pairs');
});
