import { loadCore } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { FusedProbe, probeWeight, type WeightedFrame } from './fused-probe.ts';

const core = await loadCore();
const SIZE = 128;

/** A unit vector that starts with these numbers, padded with zeros. */
function template(...numbers: readonly number[]): Float32Array {
  const vector = new Float32Array(SIZE);
  vector.set(numbers);
  core.normalise(vector);
  return vector;
}
const frame = (...numbers: readonly number[]): WeightedFrame => ({ template: template(...numbers), weight: 1 });
/** A frame of the person with noise in its own direction. */
const seen = (noise: number, direction: number): WeightedFrame => {
  const numbers = new Array<number>(direction + 1).fill(0);
  [numbers[0], numbers[direction]] = [1, noise];
  return frame(...numbers);
};
const PERSON = template(1);

describe('the mean of a face’s frames', () => {
  it('resembles the person more than each frame, the more frames there are', () => {
    const probe = new FusedProbe(core, 5);
    const cosines = [1, 2, 3, 4, 5].map((direction) => {
      probe.add(seen(0.8, direction), 0);
      return probe.cosine(PERSON);
    });
    // 1 / √(1 + 0.8² / frames)
    cosines.forEach((cosine, i) => {
      expect(cosine).toBeCloseTo(1 / Math.sqrt(1 + 0.64 / (i + 1)), 5);
    });
  });

  it('covers the last frames up to its limit; the oldest is wiped', () => {
    const probe = new FusedProbe(core, 2);
    const [first, second, third] = [seen(0.8, 1), seen(0.8, 2), seen(0.8, 3)];
    for (const each of [first, second, third]) probe.add(each, 0);
    expect(first.template).toEqual(new Float32Array(SIZE));
    expect(probe.cosine(PERSON)).toBeCloseTo(1 / Math.sqrt(1.32), 5);
    expect(probe.cosine(template(0, 1))).toBeCloseTo(0, 6);
  });

  it('restarts with a face that does not resemble it, and keeps nothing of the previous one', () => {
    const probe = new FusedProbe(core, 5);
    const before = [seen(0.2, 1), seen(0.2, 2)];
    for (const each of before) probe.add(each, 0.9);
    const other = frame(0.5, 0, 0, 1);
    probe.add(other, 0.9);
    for (const each of before) expect(each.template).toEqual(new Float32Array(SIZE));
    expect(probe.cosine(PERSON)).toBe(core.cosine(other.template, PERSON));
  });

  it('is overwritten', () => {
    const probe = new FusedProbe(core, 5);
    const frames = [seen(0.1, 1), seen(0.1, 2)];
    for (const each of frames) probe.add(each, 0);
    probe.clear();
    for (const each of frames) expect(each.template).toEqual(new Float32Array(SIZE));
    expect(() => probe.cosine(PERSON)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});

describe('the weight of a frame', () => {
  const quality = { sharpness: 0.6, interEyePx: 60 };
  const pose = { yawDeg: 0, pitchDeg: 0, rollDeg: 0 };
  const weight = (over: Partial<typeof quality>, turned: Partial<typeof pose> = {}) =>
    probeWeight({ quality: { ...quality, ...over } as never, pose: { ...pose, ...turned } });

  it.each([
    ['as sharp as it is', weight({}), 0.6],
    ['half where the eyes are half as far apart', weight({ interEyePx: 30 }), 0.3],
    ['not more from nearer by', weight({ interEyePx: 200 }), 0.6],
    ['less turned', weight({}, { yawDeg: 60 }), 0.3],
    ['less tilted', weight({}, { pitchDeg: -60 }), 0.3],
    ['a little at least', weight({ sharpness: 0 }), 0.05],
    ['a little where its quality is no number', weight({ sharpness: Number.NaN }), 0.05],
    ['one at most', weight({ sharpness: 7 }), 1],
  ])('%s', (_what, found, expected) => expect(found).toBeCloseTo(expected, 6));
});
