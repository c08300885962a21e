import type { FaceAnalysis, FaceEngine } from '@svc/face-engine';
import {
  type HeadOptions,
  identitySeed,
  type RenderedImage,
  renderHead,
  renderPrint,
  renderScene,
} from '@svc/synthetic-faces';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../inputs/engine.ts';

const frame = { width: 320, height: 240 } as const;
/** Near enough for 60 pixels between the eyes in the small frame, far enough to show the shoulders. */
const distance = 0.9;

let engine: FaceEngine;

beforeAll(async () => {
  const node = await openEngine({ addOnDirectory: null });
  engine = node.engine;
  return node.close;
});

const head = (index: number, options: Partial<HeadOptions> = {}): RenderedImage =>
  renderHead({ ...frame, distance, seed: identitySeed(index), ...options });

async function analysed(picture: RenderedImage): Promise<FaceAnalysis> {
  const image = engine.open(picture);
  try {
    for (const detection of await engine.detect(image)) {
      const face = await engine.analyse(image, detection);
      if (face !== null) return face;
    }
    throw new Error('no face');
  } finally {
    image.dispose();
  }
}

async function referenceOf(picture: RenderedImage): Promise<Float32Array> {
  const result = await engine.enrol(picture);
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
  return result.reference;
}

describe('pose', () => {
  it.each([-40, -20, 20, 40])('measures a yaw of %i degrees, its sign included', async (yawDeg) => {
    const { pose } = await analysed(head(3, { yawDeg }));
    expect(Math.abs(pose.yawDeg - yawDeg)).toBeLessThan(10);
  });

  it('measures pitch downwards and roll towards the right shoulder, as ISO/IEC 19794-5 counts them', async () => {
    // The renderer counts pitch upwards and roll clockwise for the viewer.
    const { pose } = await analysed(head(3, { pitchDeg: 15, rollDeg: -20 }));
    expect(Math.abs(pose.pitchDeg + 15)).toBeLessThan(10);
    expect(Math.abs(pose.rollDeg - 20)).toBeLessThan(6);
  });
});

describe('parallax', () => {
  it('tells a turned head from a turned print', async () => {
    const turned = await analysed(head(3, { yawDeg: 30 }));
    expect(turned.parallax).toBeGreaterThan(0.2);
    expect(turned.pose.yawDeg).toBeGreaterThan(20);
    const print = await analysed(renderPrint({ ...frame, head: { seed: identitySeed(3), distance }, turnDeg: 30 }));
    expect(Math.abs(print.pose.yawDeg)).toBeLessThan(20);
    expect(print.parallax).toBeLessThan(0.2);
  });
});

describe('enrolment', () => {
  it('recognises a person who is slightly turned, and matches nobody else', async () => {
    const reference = await referenceOf(head(0));
    const again = await referenceOf(head(0, { yawDeg: 12, noiseSeed: 9 }));
    const others = [await referenceOf(head(1)), await referenceOf(head(2))];
    expect(engine.core.cosine(reference, again)).toBeGreaterThan(engine.matchThreshold);
    for (const other of others) expect(engine.core.cosine(reference, other)).toBeLessThan(engine.matchThreshold);
  });

  it('refuses two people, but ignores a face far smaller than the main one', async () => {
    const beside = (distances: readonly [number, number]) =>
      renderScene({
        width: 640,
        height: 480,
        heads: distances.map((d, i) => ({ seed: identitySeed(i), distance: d, centreX: i === 0 ? 0.3 : 0.78 })),
      });
    expect(await engine.enrol(beside([1.4, 1.6]))).toMatchObject({ reason: 'several-faces', measured: 2 });
    expect(await engine.enrol(beside([0.9, 3.6]))).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<HeadOptions>, { exposure?: number; softness?: number }]>([
    ['turned-away', { yawDeg: 45 }, {}],
    ['face-too-small', { distance: 3 }, {}],
    // A dark face must still be found to be reported as dark.
    ['too-dark', { seed: identitySeed(2) }, { exposure: 0.04 }],
  ])('answers %s', async (reason, options, camera) => {
    const result = await engine.enrol(renderHead({ ...frame, distance, seed: identitySeed(3), ...options, ...camera }));
    expect(result).toMatchObject({ ok: false, reason });
  });

  it('finds nobody in an empty room', async () => {
    expect(await engine.enrol(renderScene({ ...frame, heads: [] }))).toEqual({ ok: false, reason: 'no-face' });
  });
});

describe('tracking', () => {
  it('follows a turning head without the detector, and tracks its yaw', async () => {
    let face = await analysed(head(3));
    for (const yawDeg of [8, 16, 24, 32, 40]) {
      const image = engine.open(head(3, { yawDeg }));
      const next = await engine.track(image, face);
      image.dispose();
      if (next === null) throw new Error(`lost at ${yawDeg} degrees`);
      expect(next.pose.yawDeg).toBeGreaterThan(face.pose.yawDeg);
      expect(next.parallax).toBeGreaterThan(face.parallax);
      face = next;
    }
  });
});
