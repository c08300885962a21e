import type { PixelImage } from '@svc/core';
import type { Box } from '@svc/face-engine';
import { type LinearColour, linearOfByte } from './colours.ts';

/** Mean colour of a part of a picture. */
export interface MeanColour {
  /** The mean of the decoded values, not the decoded mean. */
  readonly linear: LinearColour;
  /**
   * Share of pixels with overexposed green, 0 to 1. Red and blue may be overexposed during a step without losing the
   * information.
   */
  readonly clipped: number;
}

/** Maximum pixels read per side, evenly spaced. */
const readAcross = 32;
const burntOut = 250;

/** Mean colour of a box inside the image. Copies nothing of the frame. */
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
