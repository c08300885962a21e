import { type FaceAnalysis, minifasnetCalibration, type Quality } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { hintFor } from './hint.ts';

const frame = { width: 640, height: 480 };
const quality: Quality = {
  faceWidthPx: 160,
  interEyePx: 60,
  brightness: 0.5,
  overexposed: 0,
  contrast: 0.2,
  sharpness: 0.6,
  coverage: 1,
};
const face = (box: { width: number; height: number }, over: Partial<Quality> = {}) =>
  ({ box: { x: 0, y: 0, ...box }, quality: { ...quality, ...over } }) as FaceAnalysis;

describe('a hint', () => {
  it.each([
    ['nothing, when all is well', face({ width: 160, height: 200 }), null],
    ['a step back, when the face is higher than half the frame', face({ width: 160, height: 248 }), 'step-back'],
    ['nothing, when it is just lower', face({ width: 160, height: 247 }), null],
    // RetinaFace's box is wider than the mesh: 285 px become 320.
    ['a step back, when it is wider than half the frame', face({ width: 285, height: 100 }), 'step-back'],
    ['nothing, when it is just narrower', face({ width: 284, height: 100 }), null],
    ['to come closer, when it is tiny', face({ width: 30, height: 40 }, { interEyePx: 12 }), 'come-closer'],
    ['more light, when it is dark', face({ width: 160, height: 200 }, { brightness: 0.02 }), 'more-light'],
    ['less light, when it is burnt out', face({ width: 160, height: 200 }, { overexposed: 0.5 }), 'less-light'],
    ['to hold still, when it is blurred', face({ width: 160, height: 200 }, { sharpness: 0.1 }), 'hold-still'],
    [
      'a step back, when it is too near to be scored',
      face({ width: 160, height: 390 }, { sharpness: 0.1 }),
      'step-back',
    ],
    [
      'what keeps it from being scored, before what does not',
      face({ width: 160, height: 300 }, { sharpness: 0.1 }),
      'hold-still',
    ],
  ])('is %s', (_what, analysis, expected) => expect(hintFor(frame, analysis, minifasnetCalibration)).toBe(expected));
});
