import { loadCore } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { meanTemplate } from './mean-template.ts';

const core = await loadCore();

const unit = (...values: number[]): Float32Array => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
};

describe('meanTemplate', () => {
  it('is the direction of the weighted sum, of unit length', () => {
    const [a, b] = [unit(1, 0, 0, 0), unit(0, 1, 0, 0)];
    const mean = meanTemplate(core, [
      { template: a, weight: 3 },
      { template: b, weight: 1 },
    ]);
    const expected = unit(3, 1, 0, 0);
    mean.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i] ?? Number.NaN, 6);
    });
    expect([...a, ...b]).toEqual([1, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('of one template is that template, whatever its weight', () => {
    const only = unit(1, 2, -3, 0.5);
    meanTemplate(core, [{ template: only, weight: 0.01 }]).forEach((value, i) => {
      expect(value).toBeCloseTo(only[i] ?? Number.NaN, 6);
    });
  });

  const a = unit(1, 2, 3, 4);
  it.each<[string, Parameters<typeof meanTemplate>[1]]>([
    ['none', []],
    ['other lengths', [a, a.subarray(1)].map((template) => ({ template, weight: 1 }))],
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(
      (weight) =>
        [`a weight of ${weight}`, [{ template: a, weight }]] as [string, [{ template: typeof a; weight: number }]],
    ),
    ['opposites', [a, a.map((value) => -value)].map((template) => ({ template, weight: 1 }))],
    ['what is no number', [{ template: a.map(() => Number.NaN), weight: 1 }]],
  ])('refuses %s', (_, templates) => {
    const refused = expect.objectContaining({ code: 'invalid-argument' });
    expect(() => meanTemplate(core, templates)).toThrowError(refused);
  });
});
