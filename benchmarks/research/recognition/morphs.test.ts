import type { PixelImage } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { morph, type Place, similarity, thinPlate } from './morph.ts';
import { mostAlikePairs, unchosenPairs } from './morphs.ts';
import { livenessOf, visitsText } from './organisers.ts';

it('takes the most similar pairs, each person once', () => {
  // 0–1, 0–2, 0–3, 1–2, 1–3, 2–3
  const scores = Float32Array.of(0.5, 0.9, 0.1, 0.8, 0.2, 0.85);
  expect(mostAlikePairs(scores, 4, 2)).toEqual([
    [0, 2],
    [1, 3],
  ]);
  expect(mostAlikePairs(scores, 4, 1)).toEqual([[0, 2]]);
});

it('takes unselected pairs from the whole list, each person once', () => {
  const pairs = unchosenPairs(879, 40);
  expect(pairs).toHaveLength(40);
  expect(new Set(pairs.flat()).size).toBe(80);
  expect(pairs.at(-1)).toEqual([390, 829]);
  expect(unchosenPairs(5, 40)).toEqual([
    [0, 2],
    [1, 3],
  ]);
});

it('reads the number of people refused in the liveness part', () => {
  const row = '| a person who does as asked | 1/40 | 0/20 |';
  expect(livenessOf(`## Liveness\n\n${row}\n`)).toEqual({ lost: 1, of: 40, high: expect.closeTo(0.1316, 4) });
  expect(livenessOf('## Liveness\n\nNot measured in this copy')).toBeNull();
});

it('tells whole visits in plain numbers, without strangers', () => {
  const row = '| low light | 1/4 (0.006–0.8; people 0–0.7), 1 |';
  const table = `|  | retail, 1 photo |\n| --- | --- |\n${row}\n| another’s ticket | 0/4 (0–0.6) |`;
  const page = visitsText(`<!-- visits:begin -->\n${table}\n<!-- visits:end -->`);
  expect(page).toMatch(/\| {2}\| visits \| recommended, 1 photo \|\n.*\n\| low light \| 4 \| 1, 1 \|\n\n$/);
  expect(visitsText('<!-- visits:begin -->\nNot measured\n<!-- visits:end -->')).toBe('');
});

const size = 120;
const places: readonly Place[] = [
  { x: 40, y: 45 },
  { x: 80, y: 45 },
  { x: 60, y: 65 },
  { x: 45, y: 85 },
  { x: 75, y: 85 },
  { x: 60, y: 105 },
];

/** A grey picture with a bright spot at each place. */
function spotted(at: readonly Place[], ground = 40): PixelImage {
  const data = new Uint8Array(size * size * 3).fill(ground);
  for (let i = 0; i < size * size; i++) {
    const [x, y] = [(i % size) + 0.5, Math.floor(i / size) + 0.5];
    for (const spot of at) {
      const glow = 200 * Math.exp(-((x - spot.x) ** 2 + (y - spot.y) ** 2) / 8);
      for (let c = 0; c < 3; c++) data[3 * i + c] = Math.min(255, (data[3 * i + c] ?? 0) + glow);
    }
  }
  return { data, width: size, height: size, channels: 3 };
}

const lightAt = ({ data, width }: PixelImage, { x, y }: Place) =>
  data[(Math.floor(y) * width + Math.floor(x)) * 3] ?? 0;

describe('a thin-plate spline', () => {
  const targets = places.map(({ x, y }, i) => ({ x: x + ((i * 7) % 5), y: y - ((i * 3) % 4) }));

  it('maps each point to its target, and preserves affine maps', () => {
    const warp = thinPlate(places, targets);
    for (const [i, { x, y }] of places.entries()) {
      expect(warp(x, y).x).toBeCloseTo(targets[i]?.x ?? Number.NaN, 6);
      expect(warp(x, y).y).toBeCloseTo(targets[i]?.y ?? Number.NaN, 6);
    }
    const affine = thinPlate(
      places,
      places.map(({ x, y }) => ({ x: 2 * x - y + 3, y: 0.5 * x + y })),
    );
    expect(affine(10, 20).x).toBeCloseTo(3, 6);
    expect(affine(10, 20).y).toBeCloseTo(25, 6);
  });

  it('needs points that span a plane', () => {
    const line = [0, 1, 2].map((x) => ({ x, y: 0 }));
    expect(() => thinPlate(line, line)).toThrow(RangeError);
    expect(() => thinPlate(places, places.slice(1))).toThrow(RangeError);
  });
});

describe('a morph', () => {
  it('of a picture with itself is that picture', () => {
    const image = spotted(places);
    const out = morph({ image, places }, { image, places });
    for (const [i, value] of out.data.entries()) expect(Math.abs(value - (image.data[i] ?? 0))).toBeLessThanOrEqual(1);
  });

  it('has its points half-way between both faces’, after aligning the second to the first', () => {
    // The second face is shifted, turned and half as large again, with one point moved.
    const moved = places.map((place, i) => (i === 2 ? { x: place.x + 8, y: place.y } : place));
    const [cos, sin] = [1.5 * Math.cos(0.1), 1.5 * Math.sin(0.1)];
    const second = moved.map(({ x, y }) => ({ x: cos * x - sin * y - 25, y: sin * x + cos * y - 50 }));
    const out = morph({ image: spotted(places), places }, { image: spotted(second), places: second });
    const back = similarity(second, places);
    for (const [i, { x, y }] of second.entries()) {
      const first = places[i] ?? { x: 0, y: 0 };
      const laid = back(x, y);
      const middle = { x: (first.x + laid.x) / 2, y: (first.y + laid.y) / 2 };
      // Spots outside the second picture come from one of the two only.
      const isInside = x > 3 && y > 3 && x < size - 3 && y < size - 3;
      expect(lightAt(out, middle)).toBeGreaterThan(isInside ? 190 : 110);
      if (i === 2) expect(lightAt(out, first)).toBeLessThan(190);
    }
  });

  it('is half of each', () => {
    const out = morph({ image: spotted([], 20), places }, { image: spotted([], 120), places });
    expect(new Set(out.data)).toEqual(new Set([70]));
  });
});
