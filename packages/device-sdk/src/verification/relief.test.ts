import { type ReliefSample, shapeOf } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { face, facts, headRelief } from '../testing/attempt-fixtures.ts';
import { collectRelief } from './frame-facts.ts';
import { STANDARD_POLICY } from './policy.ts';

const { relief: policy } = STANDARD_POLICY;
const shape = (...depths: readonly number[]) =>
  shapeOf(
    depths.map((depth) => ({ ...headRelief, depth })),
    policy,
  );

describe('the shape of the turned face', () => {
  it('is flat before two frames were measured', () => {
    expect(shape()).toBe('flat');
    expect(shape(0.5)).toBe('flat');
    expect(shape(0.5, 0.5)).toBe('head');
  });

  it('follows the majority of frames: neither one good frame nor one bad one decides', () => {
    expect(shape(0.05, 0.06, 0.7)).toBe('flat');
    expect(shape(0.05, 0.7)).toBe('flat');
    expect(shape(0.4, -0.2, 0.3)).toBe('head');
    expect(shape(0.16, 0.16)).toBe('head');
    expect(shape(0.159, 0.159)).toBe('flat');
  });

  it('is not a head if it has narrowed like a sheet', () => {
    const kept = (widthKept: number, depth = 0.24) =>
      shapeOf(
        [widthKept, 0.9].map((width) => ({ ...headRelief, depth, widthKept: width })),
        policy,
      );
    expect(kept(0.7)).toBe('head');
    expect(kept(0.699)).toBe('narrowed');
    expect(kept(Number.NaN)).toBe('narrowed');
    // Deeper than any sheet: the width of a far turned head varies.
    expect(kept(0.5, 0.25)).toBe('head');
  });

  it('is flat for NaN', () => expect(shape(Number.NaN, Number.NaN)).toBe('flat'));
});

describe('a frame', () => {
  const adds = (yawDeg: number, relief: ReliefSample | null = headRelief, direction: 'left' | 'right' = 'left') =>
    collectRelief(facts({ relief: [], direction }), face({ yawDeg, relief })).relief.length;

  it('counts from 15° to 35° in the requested direction, if the nose was matched', () => {
    expect([14.9, 15, 35, 35.1, -20].map((yawDeg) => adds(yawDeg))).toEqual([0, 1, 1, 0, 0]);
    expect([20, -20].map((yawDeg) => adds(yawDeg, headRelief, 'right'))).toEqual([0, 1]);
    expect(adds(20, null)).toBe(0);
    expect([0.5, 0.49].map((agreement) => adds(20, { ...headRelief, agreement }))).toEqual([1, 0]);
  });
});
