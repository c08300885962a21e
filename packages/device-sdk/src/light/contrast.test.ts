import { expect, it } from 'vitest';
import { contrastOf } from './contrast.ts';

const picture = (of: (x: number, y: number) => number) => {
  const [width, height] = [60, 30];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.fill(of(x, y), (y * width + x) * 3, (y * width + x) * 3 + 3);
  return { data, width, height, channels: 3 as const };
};
const box = { x: 10, y: 5, width: 24, height: 12 };

it('tells the dark from the bright part of a box', () => {
  const contrast = contrastOf(
    picture((x) => (x < 16 ? 0 : 188)),
    box,
  );
  expect(contrast?.dark).toEqual([0, 0, 0]);
  expect(contrast?.bright[1]).toBeCloseTo(0.5, 2);
});

it('is null for overexposed or too small boxes', () => {
  expect(
    contrastOf(
      picture((x) => (x < 22 ? 60 : 255)),
      box,
    ),
  ).toBeNull();
  expect(
    contrastOf(
      picture(() => 100),
      { ...box, width: 4, height: 4 },
    ),
  ).toBeNull();
});
