import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { noseTip } from './geometry/canonical.ts';
import { headTopology } from './geometry/head-mesh.ts';
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
    for (let seed = 100; seed < 107; seed++) headModel(seed);
    expect(hash(renderHead(options))).toBe(first);
    expect(hash(renderHead({ ...options, noiseSeed: 1 }))).not.toBe(first);
    expect(hash(renderHead({ ...options, seed: 8 }))).not.toBe(first);
    expect(hash(renderHead({ ...options, yawDeg: 13 }))).not.toBe(first);
  });

  it('returns opaque RGBA of the size asked for', () => {
    const image = renderHead({ seed: 3, width: 96, height: 64 });
    expect([image.width, image.height, image.channels, image.data.length]).toEqual([96, 64, 4, 96 * 64 * 4]);
    expect(image.data.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 255)).toBe(true);
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

  it('puts glasses on and takes them off, for any person', () => {
    for (const seed of [4, 7]) {
      const [on, off] = [true, false].map((glasses) => renderHead({ ...size, seed, accessories: { glasses } }));
      const plain = hash(renderHead({ ...size, seed }));
      if (!on || !off) throw new Error('two pictures');
      expect(hash(on)).not.toBe(hash(off));
      expect([hash(on), hash(off)]).toContain(plain);
    }
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
    expect(() => renderHead({ seed: 1, width, height: 100 })).toThrow(RangeError);
  });
});

describe('renderScene', () => {
  it('shows every head at its place', () => {
    const [a, b] = [
      { seed: 7, centreX: 0.25, distance: 1.6, noise: 0 },
      { seed: 9, centreX: 0.75, distance: 1.6, noise: 0 },
    ];
    const frame = { width: 320, height: 160 } as const;
    const both = renderScene({ ...frame, heads: [a, b] });
    const onlyA = renderScene({ ...frame, heads: [a] });
    const onlyB = renderScene({ ...frame, heads: [b] });
    const none = renderScene({ ...frame, heads: [] });
    expect(difference(both, onlyA, 50, 110)).toBeLessThan(2);
    expect(difference(both, onlyB, 210, 270)).toBeLessThan(2);
    expect(difference(both, none, 50, 110)).toBeGreaterThan(10);
    expect(difference(both, none, 210, 270)).toBeGreaterThan(10);
  });

  it('draws the nearer of two overlapping heads in front, whatever their order', () => {
    const near = { seed: 7, distance: 1, noise: 0, light: {} };
    const far = { seed: 9, distance: 2.5, noise: 0, light: {} };
    const a = renderScene({ ...size, heads: [near, far] });
    const b = renderScene({ ...size, heads: [far, near] });
    expect(difference(a, b, 0, 160)).toBeLessThan(0.5);
  });
});

describe('headTopology', () => {
  it('keeps the face’s left and right symmetric and leaves holes for eyes and mouth', () => {
    const { restCoarse, coarse } = headTopology();
    let lowest = Infinity;
    for (let i = 0; i < restCoarse.length; i += 3) lowest = Math.min(lowest, Math.abs(restCoarse[i] ?? 0));
    expect(lowest).toBeLessThan(0.01);
    const edges = new Map<string, number>();
    for (let t = 0; t < coarse.triangles.length; t += 3) {
      for (let k = 0; k < 3; k++) {
        const [a, b] = [coarse.triangles[t + k] ?? 0, coarse.triangles[t + ((k + 1) % 3)] ?? 0];
        const key = a < b ? `${a},${b}` : `${b},${a}`;
        edges.set(key, (edges.get(key) ?? 0) + 1);
      }
    }
    expect(Math.max(...edges.values())).toBe(2);
    // Open edges: the last ring of the head (36), both eyes (16 each) and the throat (20), each split once.
    expect([...edges.values()].filter((count) => count === 1)).toHaveLength((36 + 16 + 16 + 20) * 2);
  });
});
