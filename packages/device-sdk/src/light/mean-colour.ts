import type { PixelImage } from '@svc/core';
import type { Box } from '@svc/face-engine';
import { type LinearColour, linearOfByte } from './colours.ts';

/** Mean of a part of a picture. */
export interface MeanColour {
  /** The mean of what was decoded, not the decoded mean. */
  readonly linear: LinearColour;
  /** Share of pixels whose green is burnt out, 0..1: red and blue may be for a step, and still tell. */
  readonly clipped: number;
}

/** At most this many pixels a side are read, evenly spread. */
const readAcross = 32;
const burntOut = 250;

/** Mean colour of a box that lies inside the image. Reads the frame where it lies: nothing of it is copied. */
export function meanColour({ data, width, height, channels }: PixelImage, box: Box): MeanColour {
  const [left, right] = span(box.x, box.width, width);
  const [top, bottom] = span(box.y, box.height, height);
  const [across, down] = [stride(right - left), stride(bottom - top)];
  let [red, green, blue, clipped, count] = [0, 0, 0, 0, 0];
  for (let y = top; y < bottom; y += down) {
    for (let x = left; x < right; x += across) {
      const at = (y * width + x) * channels;
      const [r, g, b] = [data[at] as number, data[at + 1] as number, data[at + 2] as number];
      red += linearOfByte[r] as number;
      green += linearOfByte[g] as number;
      blue += linearOfByte[b] as number;
      if (g >= burntOut) clipped += 1;
      count += 1;
    }
  }
  return { linear: [red / count, green / count, blue / count], clipped: clipped / count };
}

/** Whole pixels from start to end, at least one. */
function span(start: number, length: number, limit: number): readonly [number, number] {
  const from = Math.min(limit - 1, Math.max(0, Math.round(start)));
  return [from, Math.max(from + 1, Math.min(limit, Math.round(start + length)))];
}

const stride = (length: number): number => Math.max(1, Math.ceil(length / readAcross));
