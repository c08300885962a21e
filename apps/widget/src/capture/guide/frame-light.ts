import type { PixelImage } from '@svc/core';

/** Every so many pixels one is looked at. */
const STEP = 97;

/** Mean luma (Rec. 601) of a frame, 0..1: where there is too little light for a face to be found, it is known by this alone. */
export function lightOf({ data, channels }: PixelImage): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + 2 < data.length; at += STEP * channels) {
    sum += 77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0);
    count += 1;
  }
  return count === 0 ? 0 : sum / (count * 256 * 255);
}
