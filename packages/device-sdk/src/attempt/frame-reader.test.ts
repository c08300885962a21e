import { minifasnetCalibration, type Quality } from '@svc/face-engine';
import { faceAnalysis } from '@svc/face-engine/testing';
import { describe, expect, it } from 'vitest';
import { createFakeEngine, frameOf, type Head } from '../testing/fake-engine.ts';
import { FrameReader, hintFor } from './frame-reader.ts';

/** The face's motion at each frame; `-` for a frame without a face. */
async function motions(frames: readonly (readonly Head[])[]): Promise<readonly (number | null | '-')[]> {
  const engine = createFakeEngine();
  const reader = new FrameReader(engine, engine.passive);
  const found: (number | null | '-')[] = [];
  for (const [i, heads] of frames.entries()) {
    const image = engine.open(frameOf({ heads }, i * 100).image);
    const { event } = await reader.read(image, i * 600);
    found.push(event.type === 'face' ? event.motion : '-');
    image.dispose();
  }
  reader.dispose();
  return found;
}

const one = { who: 1 };
const aside = { who: 1, x: 256 };

describe('the motion of a face', () => {
  it('is relative to the previous frame, in widths of the face', async () => {
    expect(await motions([[one], [one], [aside], [aside]])).toEqual([null, 0, 0.1, 0]);
  });

  it('is unknown after no face, after several faces and for another face', async () => {
    expect(await motions([[one], [], [one]])).toEqual([null, '-', null]);
    expect(await motions([[one], [one, { who: 2, x: 20 }], [one], [one]])).toEqual([null, '-', null, 0]);
    expect(await motions([[one], [{ who: 2, x: 20, width: 80 }]])).toEqual([null, null]);
  });
});

const frame = { width: 640, height: 480 };
const face = (box: { width: number; height: number }, quality: Partial<Quality> = {}) => faceAnalysis({ box, quality });

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
