import { loadCore, type PixelImage } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { blurred, exposed, scaledDown } from './images.ts';

const painted = (width: number, height: number, value: (x: number, y: number) => number): PixelImage => ({
  data: Uint8Array.from({ length: width * height * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : value((i >> 2) % width, Math.floor((i >> 2) / width)),
  ),
  width,
  height,
  channels: 4,
});
const reds = ({ data, channels }: PixelImage): number[] => [...data].filter((_, i) => i % channels === 0);

describe('degraded pictures', () => {
  it('are scaled down to the mean of the covered area', async () => {
    const stripes = painted(8, 4, (x) => (x % 2) * 100);
    const small = scaledDown(await loadCore(), stripes, 0.5);
    expect([small.width, small.height, small.channels]).toEqual([4, 2, 3]);
    expect(reds(small)).toEqual(Array.from({ length: 8 }, () => 50));
  });

  it('are darkened and overexposed', () => {
    const two = painted(2, 1, (x) => (x === 0 ? 100 : 200));
    expect(reds(exposed(two, 1.5))).toEqual([150, 255]);
    expect(reds(exposed(two, 0.1))).toEqual([10, 20]);
  });

  it('are blurred by a Gaussian, which preserves the light and spreads an edge', () => {
    const edge = painted(21, 1, (x) => (x < 10 ? 0 : 200));
    const out = reds(blurred(edge, 2));
    expect([out[0], out[20]]).toEqual([0, 200]);
    // Half a pixel from the edge: Φ(1 ÷ 4) of it is lit.
    expect(out[10]).toBeGreaterThan(112);
    expect(out[10]).toBeLessThan(128);
    const flat = painted(5, 5, () => 77);
    expect(reds(blurred(flat, 3))).toEqual(Array.from({ length: 25 }, () => 77));
  });
});
