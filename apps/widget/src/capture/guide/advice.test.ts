import { type FaceAnalysis, refusalOf, strictestLimits } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { adviceOf, guidanceLimits, lightOf, photoLimits, reviewOf, type Sight } from './advice.ts';

it('is how bright a frame is, by luma', () => {
  const frame = (...rgba: number[]) => ({
    data: Uint8Array.from({ length: 64 * 48 * 4 }, (_, i) => rgba[i % 4] ?? 0),
    width: 64,
    height: 48,
    channels: 4 as const,
  });
  expect(lightOf(frame(255, 255, 255, 255))).toBeCloseTo(1, 5);
  expect(lightOf(frame(0, 0, 0, 255))).toBe(0);
  expect(lightOf(frame(0, 255, 0, 255))).toBeCloseTo(0.587, 2);
});

interface FaceOptions {
  readonly centre?: readonly [x: number, y: number];
  readonly width?: number;
  readonly pose?: Partial<FaceAnalysis['pose']>;
  readonly quality?: Partial<FaceAnalysis['quality']>;
}

/** A face that is good in a frame of 640 × 480. */
function face({ centre: [x, y] = [320, 240], width = 180, pose = {}, quality = {} }: FaceOptions = {}) {
  return {
    box: { x: x - width / 2, y: y - width * 0.6, width, height: width * 1.2 },
    pose: { yawDeg: 0, pitchDeg: 5, rollDeg: 0, ...pose },
    quality: {
      faceWidthPx: width,
      interEyePx: width * 0.45,
      brightness: 0.5,
      contrast: 0.15,
      overexposed: 0,
      sharpness: 0.5,
      coverage: 1,
      ...quality,
    },
  };
}

const sight = (...faces: Sight['faces']): Sight => ({ width: 640, height: 480, light: 0.4, faces });

describe('advice', () => {
  it('has no hint for a good face, and returns its place', () => {
    expect(adviceOf(sight(face()))).toEqual({
      hint: null,
      face: { x: 230 / 640, y: 132 / 480, width: 180 / 640, height: 216 / 480 },
    });
  });

  it.each<[string, FaceOptions]>([
    ['come-closer', { width: 100 }],
    ['step-back', { width: 400 }],
    ['centre', { centre: [480, 240] }],
    ['centre', { centre: [320, 370] }],
    ['look-straight', { pose: { yawDeg: -22 } }],
    ['look-straight', { pose: { pitchDeg: 27 } }],
    ['more-light', { quality: { brightness: 0.1 } }],
    ['less-light', { quality: { overexposed: 0.3 } }],
    ['hold-still', { quality: { sharpness: 0.22 } }],
    ['uncover', { quality: { coverage: 0.92 } }],
  ])('%s: %o', (hint, options) => {
    expect(adviceOf(sight(face(options))).hint).toBe(hint);
  });

  it('names first what a person would correct first', () => {
    const worst = { quality: { brightness: 0.1, coverage: 0.5 } };
    expect(adviceOf(sight(face({ width: 80, centre: [560, 240], ...worst }))).hint).toBe('come-closer');
    // A face half outside the picture is half covered.
    expect(adviceOf(sight(face({ centre: [600, 240], ...worst }))).hint).toBe('centre');
    expect(adviceOf(sight(face(worst))).hint).toBe('more-light');
  });

  it('counts a second face as the service does', () => {
    expect(adviceOf(sight(face(), face({ width: 61 }))).hint).toBe('several-faces');
    expect(adviceOf(sight(face(), face({ width: 59 }))).hint).toBeNull();
  });

  it('asks for light if the frame is too dark to find a face', () => {
    expect(adviceOf(sight())).toEqual({ hint: 'no-face', face: null });
    expect(adviceOf({ ...sight(), light: 0.03 })).toEqual({ hint: 'more-light', face: null });
  });

  it('asks for as many pixels as the service if the camera has few', () => {
    const small = (width: number) => adviceOf({ ...sight(face({ width, centre: [80, 60] })), width: 160, height: 120 });
    expect(small(60).hint).toBe('come-closer');
    expect(small(72).hint).toBeNull();
  });
});

describe('the review of a photo', () => {
  it('finds nothing wrong with a good face, wherever it is, and returns the faces', () => {
    const place = { x: 230 / 640, y: 132 / 480, width: 180 / 640, height: 216 / 480 };
    expect(reviewOf(sight(face()))).toEqual({ flaw: null, faces: [place] });
    expect(reviewOf(sight(face({ centre: [500, 240] }))).flaw).toBeNull();
  });

  it('names the reason for which the service would refuse it', () => {
    expect(reviewOf(sight())).toEqual({ flaw: 'no-face', faces: [] });
    expect(reviewOf(sight(face(), face({ width: 90 })))).toMatchObject({ flaw: 'several-faces', faces: [{}, {}] });
    expect(reviewOf(sight(face({ quality: { interEyePx: 20 } }))).flaw).toBe('face-too-small');
    expect(reviewOf(sight(face({ pose: { yawDeg: 40 } }))).flaw).toBe('turned-away');
  });

  it.each(Object.keys(photoLimits) as (keyof typeof photoLimits)[])(
    'calls only good what the service accepts with room to spare, and is not stricter than the guidance, in %s',
    (name) => {
      const { pose, quality } = face();
      const refuses = (at: number) =>
        refusalOf([{ pose: { ...pose, [name]: at }, quality: { ...quality, [name]: at } }], strictestLimits) !== null;
      const [review, service] = [photoLimits[name], strictestLimits[name]];
      expect(refuses(review)).toBe(false);
      expect(review).not.toBe(service);
      if (name !== 'interEyePx') {
        const guided = guidanceLimits[name];
        expect(Math.abs(guided - service)).toBeGreaterThan(Math.abs(review - service));
        const { hint } = adviceOf(
          sight(face(name in pose ? { pose: { [name]: guided } } : { quality: { [name]: guided } })),
        );
        expect([refuses(guided), hint]).toEqual([false, null]);
      }
    },
  );
});
