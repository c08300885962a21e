import { describe, expect, it } from 'vitest';
import { describePairs } from './describe.ts';
import type { Enrolment } from './enrolment.ts';
import { type PeoplePair, reportPairs } from './evaluate-pairs.ts';

const failed: Enrolment = { ok: false, reason: 'no-face' };

const report = (pairs: readonly PeoplePair[], enrolments: ReadonlyMap<string, Enrolment> = new Map()) =>
  reportPairs({
    engineId: 'test/1',
    shippedThreshold: 0.9,
    faceRule: 'one',
    pairs,
    enrolments,
    nameOf: (path) => path.slice(1),
  });

describe('pairs report', () => {
  // 20,000 impostor pairs from 0 up to 0.5; ten genuine pairs, of which one is below and one could not be compared.
  const impostor = Array.from(
    { length: 20_000 },
    (_, i): PeoplePair => ({ same: false, score: i / 40_000, people: [0, 1] }),
  );
  const genuine = [0.95, 0.96, 0.97, 0.98, 0.91, 0.92, 0.93, 0.94, 0.3, null].map(
    (score, i): PeoplePair => ({ same: true, score, people: [i, i] }),
  );
  const result = report([...impostor, ...genuine], new Map([['/a.jpg', failed]]));

  it('counts what was compared', () => {
    expect(result.pairs).toEqual({
      listed: 20_010,
      genuine: 10,
      impostor: 20_000,
      comparedGenuine: 9,
      comparedImpostor: 20_000,
    });
    expect(result.failuresToEnrol).toEqual([{ file: 'a.jpg', reason: 'no-face' }]);
  });

  it('gives fnmr at each false match rate', () => {
    expect(result.atFmr['1e-2']?.fmr).toMatchObject({ errors: 200, trials: 20_000 });
    expect(result.atFmr['1e-4']?.fmr.errors).toBe(2);
    expect(result.atFmr['1e-4']?.fnmr).toMatchObject({ errors: 1, trials: 9 });
    expect(result.atFmr['1e-4']?.generalisedFnmr).toMatchObject({ errors: 2, trials: 10 });
    expect(result.atFmr['1e-4']?.resolved).toBe(true);
    expect(result.atShippedThreshold).toMatchObject({ threshold: 0.9, fmr: { errors: 0 }, fnmr: { errors: 1 } });
  });

  it('has an interval over people if there is an error and more than one person', () => {
    const { fmr, fnmr } = result.atShippedThreshold.personBootstrap95;
    expect(fmr).toBeNull();
    expect(fnmr?.[0]).toBe(0);
    expect(fnmr?.[1]).toBeGreaterThan(1 / 9);
  });

  it('has the area under its curve: eight scores above all, one above three fifths', () => {
    expect(result.auc).toBeCloseTo((8 + 12_000.5 / 20_000) / 9, 9);
  });

  it('has ten folds for LFW’s number of pairs only', () => {
    expect(result.tenFold).toBeNull();
    const lfw = Array.from({ length: 6000 }, (_, i): PeoplePair => {
      const same = i % 600 < 300;
      return { same, score: same ? 0.95 : 0.5, people: same ? [0, 0] : [0, 1] };
    });
    expect(report(lfw).tenFold).toMatchObject({ mean: 1, standardError: 0 });
    expect(report(lfw.slice(1)).tenFold).toBeNull();
  });

  it('has a text, also with nothing to compare', () => {
    expect(describePairs(result)).toContain('a.jpg: no-face');
    expect(describePairs(report([{ same: true, score: null, people: [0, 0] }]))).toContain('no pairs');
  });
});
