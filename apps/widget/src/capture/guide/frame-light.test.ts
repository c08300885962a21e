import { expect, it } from 'vitest';
import { lightOf } from './frame-light.ts';

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
