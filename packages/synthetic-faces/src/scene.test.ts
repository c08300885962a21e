import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { noseTip } from './geometry/canonical.ts';
import { headModel } from './head-model.ts';
import { type HeadOptions, type RenderedImage, renderHead, renderScene } from './index.ts';
import { cameraOf, placeHead } from './render/place.ts';
import { projectScene } from './render/rasteriser.ts';

const size = { width: 160, height: 160 } as const;
const hash = (image: RenderedImage): string => createHash('sha256').update(image.data).digest('hex');

/** Mean absolute difference of 8-bit channels over columns from … to. */
function difference(a: RenderedImage, b: RenderedImage, from: number, to: number): number {
  let [sum, count] = [0, 0];
  for (let y = 0; y < a.height; y++) {
    for (let x = from; x < to; x++) {
      for (let k = 0; k < 3; k++) {
        const at = (y * a.width + x) * 4 + k;
        sum += Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0));
        count++;
      }
    }
  }
  return sum / count;
}

/** Pixel position of a control vertex of the posed head, and of the middle between its outer eye corners. */
function noseAndEyes(options: HeadOptions): {
  readonly nose: readonly [number, number];
  readonly eyes: readonly [number, number];
} {
  const camera = cameraOf(640, 480);
  const scene = projectScene(placeHead(headModel(options.seed), options, camera, 640, 480), camera);
  // The refined mesh keeps the control vertices first.
  const at = (vertex: number): readonly [number, number] => [scene.x[vertex] ?? 0, scene.y[vertex] ?? 0];
  const [right, left] = [at(33), at(263)];
  return { nose: at(noseTip), eyes: [(right[0] + left[0]) / 2, (right[1] + left[1]) / 2] };
}

describe('renderHead', () => {
  it('gives the same bits for the same options, other bits for another noise seed, seed or pose', () => {
    const options = { ...size, seed: 7, yawDeg: 12 };
    const first = hash(renderHead(options));
    // As many as are kept.
    for (let seed = 100; seed < 106; seed++) headModel(seed);
    expect(hash(renderHead(options))).toBe(first);
    expect(hash(renderHead({ ...options, noiseSeed: 1 }))).not.toBe(first);
    expect(hash(renderHead({ ...options, seed: 8 }))).not.toBe(first);
    expect(hash(renderHead({ ...options, yawDeg: 13 }))).not.toBe(first);
  });

  it('puts a light blue mask over the mouth, where it is asked to', () => {
    const blueOfMouth = (mask: boolean) => {
      const { data } = renderHead({ ...size, seed: 7, wears: mask ? { mask } : {} });
      const mouth = (92 * size.width + size.width / 2) * 4;
      return (data[mouth + 2] ?? 0) - (data[mouth] ?? 0);
    };
    expect(blueOfMouth(false)).toBeLessThan(-10);
    expect(blueOfMouth(true)).toBeGreaterThan(10);
  });

  it('turns the nose to the viewer’s right for a yaw to the person’s left, up for a pitch up', () => {
    const front = noseAndEyes({ seed: 7 });
    const left = noseAndEyes({ seed: 7, yawDeg: 25 });
    const right = noseAndEyes({ seed: 7, yawDeg: -25 });
    const up = noseAndEyes({ seed: 7, pitchDeg: 20 });
    expect(left.nose[0] - left.eyes[0]).toBeGreaterThan(front.nose[0] - front.eyes[0] + 10);
    expect(right.nose[0] - right.eyes[0]).toBeLessThan(front.nose[0] - front.eyes[0] - 10);
    expect(up.nose[1] - up.eyes[1]).toBeLessThan(front.nose[1] - front.eyes[1] - 5);
  });

  it('tilts the eye line clockwise for a positive roll', () => {
    const camera = cameraOf(640, 480);
    const scene = projectScene(placeHead(headModel(7), { seed: 7, rollDeg: 20 }, camera, 640, 480), camera);
    expect((scene.y[263] ?? 0) - (scene.y[33] ?? 0)).toBeGreaterThan(15);
  });

  it('halves the face at twice the distance', () => {
    const span = (distance: number): number => {
      const camera = cameraOf(640, 480);
      const scene = projectScene(placeHead(headModel(7), { seed: 7, distance }, camera, 640, 480), camera);
      return (scene.x[454] ?? 0) - (scene.x[234] ?? 0);
    };
    expect(span(1) / span(2)).toBeGreaterThan(1.9);
    expect(span(1) / span(2)).toBeLessThan(2.1);
    expect(span(1)).toBeGreaterThan(640 * 0.26);
    expect(span(1)).toBeLessThan(640 * 0.4);
  });

  it.each([0, 15, 4097, 100.5, Number.NaN])('refuses %s pixels', (width) => {
    expect(() => renderHead({ seed: 7, width, height: 100 })).toThrow(RangeError);
  });
});

describe('renderScene', () => {
  it('draws the nearer of two overlapping heads in front, whatever their order', () => {
    const near = { seed: 7, distance: 1, noise: 0, light: {} };
    const far = { seed: 8, distance: 2.5, noise: 0, light: {} };
    const a = renderScene({ ...size, heads: [near, far] });
    const b = renderScene({ ...size, heads: [far, near] });
    expect(difference(a, b, 0, 160)).toBeLessThan(0.5);
  });
});
