import { expect, it } from 'vitest';
import { fittedSize } from './frame-grabber.ts';

it.each([
  [4000, 3000, 1280, 960],
  [700, 2800, 320, 1280],
  [1280, 720, 1280, 720],
  [640, 480, 640, 480],
  [1, 1, 1, 1],
  [16_000, 2, 1280, 1],
])('%i × %i fits as %i × %i', (width, height, fittedWidth, fittedHeight) => {
  expect(fittedSize({ width, height }, 1280)).toEqual({ width: fittedWidth, height: fittedHeight });
});
