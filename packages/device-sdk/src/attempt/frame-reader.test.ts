import { describe, expect, it } from 'vitest';
import { createFakeEngine, frameOf, type Head } from '../testing/fake-engine.ts';
import { FrameReader } from './frame-reader.ts';

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
