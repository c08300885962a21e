import { describe, expect, it } from 'vitest';
import type { DegradedPicture } from './degraded.ts';
import { limitOf, qualityBins, thresholdRule, turnedMarginRule, undegraded, upAtThirdDecimal } from './quality-bins.ts';

describe('the rule of the threshold', () => {
  it('takes the larger one, rounded up', () => {
    expect(thresholdRule(0.4602, 0.4698)).toBe(0.47);
    expect(thresholdRule(0.94581, 0.9449)).toBe(0.946);
  });

  it('keeps a number with three decimals', () => {
    expect(upAtThirdDecimal(0.946)).toBe(0.946);
    expect(upAtThirdDecimal(0.47)).toBe(0.47);
    expect(upAtThirdDecimal(0.4701)).toBe(0.471);
  });
});

describe('the rule of the turned margin', () => {
  const scores = Array.from({ length: 200 }, (_, i) => 0.4 + i / 1000);

  it('allows one refusal in a hundred', () => {
    // The third lowest of 200 must match.
    expect(turnedMarginRule(scores, 0.47)).toBe(0.068);
    expect(scores.filter((score) => score >= 0.47 - 0.068)).toHaveLength(198);
  });

  it('is never negative, and needs comparisons', () => {
    expect(turnedMarginRule(scores, 0.3)).toBe(0);
    expect(() => turnedMarginRule([], 0.5)).toThrow(RangeError);
  });
});

describe('the rule of the limits', () => {
  const quality = {
    faceWidthPx: 0,
    interEyePx: 0,
    brightness: 0.5,
    contrast: 0,
    overexposed: 0,
    sharpness: 0,
    coverage: 1,
  };
  const pictures = (eyes: number, matched: number, compared = 100): DegradedPicture => ({
    degradation: 'small',
    step: eyes,
    quality: { ...quality, interEyePx: eyes },
    compared,
    matched,
  });
  const measured = [pictures(30, 98), pictures(26, 97), pictures(22, 95), pictures(18, 90), pictures(14, 99)];

  it('uses bins of the measured quality', () => {
    const bins = qualityBins([...measured, pictures(10, 3, 4)], 'small');
    expect(bins.map(({ from, to }) => [from, to])).toEqual([
      [8, 12],
      [12, 16],
      [16, 20],
      [20, 24],
      [24, 28],
      [28, 32],
    ]);
    expect(bins[0]?.matched).toMatchObject({ errors: 3, trials: 4 });
  });

  it('ends before the first bin that costs more than five points, whatever follows', () => {
    expect(limitOf(qualityBins(measured, 'small'), 0.98, true)).toBe(20);
    expect(limitOf(qualityBins(measured, 'small'), 0.94, true)).toBe(12);
    expect(limitOf(qualityBins(measured.slice(3, 4), 'small'), 0.98, true)).toBeNull();
  });

  it('skips bins with few comparisons', () => {
    expect(limitOf(qualityBins([pictures(30, 98), pictures(26, 1, 5), pictures(22, 98)], 'small'), 0.98, true)).toBe(
      20,
    );
  });

  it('goes upwards if low values are good', () => {
    const burnt = (overexposed: number, matched: number): DegradedPicture => ({
      degradation: 'overexposed',
      step: 2,
      quality: { ...quality, overexposed },
      compared: 100,
      matched,
    });
    const bins = qualityBins([burnt(0.01, 98), burnt(0.25, 97), burnt(1, 20)], 'overexposed');
    expect(limitOf(bins, 0.98, false)).toBe(0.3);
    expect(bins.at(-1)?.matched.trials).toBe(100);
  });

  it('compares with the undegraded photo, and leaves out pictures without a face', () => {
    const whole: DegradedPicture = { degradation: null, step: 0, quality, compared: 4, matched: 3 };
    expect(undegraded([whole, { ...whole, quality: null, matched: 0 }, ...measured])).toMatchObject({
      errors: 3,
      trials: 4,
    });
  });
});
