import type { FaceAnalysis } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { continuityLimits, isPlausiblySame, motionBetween, overlap, type Sighting } from './face-observer.ts';

const box = { x: 100, y: 100, width: 100, height: 140 };
const sighting = (over: Partial<typeof box> = {}, yawDeg = 0, atMs = 0): Sighting => ({
  atMs,
  analysis: { box: { ...box, ...over }, pose: { yawDeg, pitchDeg: 0, rollDeg: 0 } } as FaceAnalysis,
});

describe('one head', () => {
  it.each([
    ['stands still', sighting({}, 0, 100), true],
    ['moves by half its width', sighting({ x: 150 }, 0, 100), true],
    ['can’t be elsewhere', sighting({ x: 161 }, 0, 100), false],
    ['can’t be above itself', sighting({ y: 161 }, 0, 100), false],
    ['narrows when it turns', sighting({ x: 120, width: 60 }, 40, 100), true],
    ['comes nearer slowly', sighting({ y: 90, height: 190 }, 0, 100), true],
    ['doesn’t double', sighting({ y: 75, height: 200 }, 0, 100), false],
    ['doesn’t halve', sighting({ y: 125, height: 90 }, 0, 100), false],
    ['turns so fast at most', sighting({}, continuityLimits.yawDeg, 100), true],
    ['doesn’t jump from side to side', sighting({}, continuityLimits.yawDeg + 1, 100), false],
    ['is seen again within a second', sighting({}, 0, 1_000), true],
    ['is nobody known after that', sighting({}, 0, 1_001), false],
  ])('%s', (_what, after, same) => expect(isPlausiblySame(sighting(), after)).toBe(same));

  it('with an invalid box is not the same', () => {
    expect(isPlausiblySame(sighting(), sighting({ height: Number.NaN }, 0, 100))).toBe(false);
  });
});

describe('overlap', () => {
  it('is the share of the union', () => {
    expect(overlap(box, box)).toBe(1);
    expect(overlap(box, { ...box, x: 150 })).toBeCloseTo(1 / 3);
    expect(overlap(box, { ...box, x: 200 })).toBe(0);
  });
});

describe('the movement of a face', () => {
  it.each([
    ['not at all', {}, 0],
    ['aside, in its widths', { x: 115 }, 0.15],
    ['up, in its widths', { y: 80 }, 0.2],
    ['nearer, in its heights', { y: 93, height: 154 }, 0.1],
    ['away, in its heights', { y: 107, height: 126 }, 0.1],
    ['both ways, by the greater', { x: 130, height: 147 }, 0.302],
  ])('%s', (_what, over, expected) => expect(motionBetween(box, { ...box, ...over })).toBeCloseTo(expected, 3));
});
