import { meanOf } from '@svc/benchmarks/statistics/summary';
import { loadCore, type PixelImage } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { blurred, exposed, noisy, scaledDown } from './degrade.ts';

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
    const small = scaledDown(
      await loadCore(),
      painted(8, 4, (x) => (x % 2) * 100),
      0.5,
    );
    expect([small.width, small.height, small.channels]).toEqual([4, 2, 3]);
    expect(reds(small)).toEqual(Array.from({ length: 8 }, () => 50));
  });

  it('are darkened and overexposed', () => {
    expect(
      reds(
        exposed(
          painted(2, 1, (x) => (x === 0 ? 100 : 200)),
          1.5,
        ),
      ),
    ).toEqual([150, 255]);
    expect(
      reds(
        exposed(
          painted(1, 1, () => 100),
          0.1,
        ),
      ),
    ).toEqual([10]);
  });

  it('are blurred by a Gaussian, which preserves the light and spreads an edge', () => {
    const out = reds(
      blurred(
        painted(21, 1, (x) => (x < 10 ? 0 : 200)),
        2,
      ),
    );
    expect(out[0]).toBe(0);
    expect(out[20]).toBe(200);
    // Half a pixel from the edge: Φ(1 ÷ 4) of it is lit.
    expect(out[10]).toBeGreaterThan(112);
    expect(out[10]).toBeLessThan(128);
    expect(
      reds(
        blurred(
          painted(5, 5, () => 77),
          3,
        ),
      ),
    ).toEqual(Array.from({ length: 25 }, () => 77));
  });

  it('have noise of the given strength, the same at every run', () => {
    const grey = painted(64, 64, () => 128);
    const values = reds(noisy(grey, 20));
    expect(meanOf(values)).toBeCloseTo(128, -0.5);
    expect(Math.sqrt(meanOf(values.map((value) => (value - 128) ** 2)))).toBeCloseTo(20, -0.5);
    expect(reds(noisy(grey, 20))).toEqual(values);
  });
});
