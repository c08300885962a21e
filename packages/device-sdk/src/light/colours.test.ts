import { describe, expect, it } from 'vitest';
import { contrastOf, meanColour } from './colours.ts';

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

const flat = (width: number, height: number, channels: 3 | 4, of: (x: number, y: number) => readonly number[]) => {
  const data = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set([...of(x, y), 255].slice(0, channels), (y * width + x) * channels);
  return { data, width, height, channels };
};

describe('the mean colour of a box', () => {
  it.each([3, 4] as const)('is the mean of light, not of bytes (%i channels)', (channels) => {
    const image = flat(8, 8, channels, (x) => (x < 4 ? [0, 0, 0] : [255, 255, 255]));
    const { linear } = meanColour(image, { x: 0, y: 0, width: 8, height: 8 });
    expect(linear).toEqual([0.5, 0.5, 0.5]);
  });

  it('gives the overexposed share', () => {
    const image = flat(10, 10, 3, (x) => (x < 3 ? [200, 251, 90] : [255, 100, 255]));
    expect(meanColour(image, { x: 0, y: 0, width: 10, height: 10 }).clipped).toBeCloseTo(0.3);
  });

  it('samples large boxes evenly and small ones at every pixel', () => {
    const image = flat(400, 300, 3, (x) => [x % 256, 10, 10]);
    const { linear } = meanColour(image, { x: 0, y: 0, width: 256, height: 300 });
    const whole = meanColour({ ...image }, { x: 0, y: 0, width: 32, height: 32 });
    expect(linear[1]).toBeCloseTo(whole.linear[1], 12);
    expect(meanColour(image, { x: 255.2, y: 2, width: 0.1, height: 0.1 }).linear[0]).toBe(1);
  });
});
