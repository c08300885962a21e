import type { Box } from '@svc/face-engine';

/** Times a face's box that are kept around it: more than the widest crop shows, and room to shift it. */
const around = 5.2;

export interface Surroundings {
  /** Whole pixels of the picture. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Size of the file, pixels. */
  readonly fileWidth: number;
  readonly fileHeight: number;
  /** From the picture's pixels to the file's. */
  at(x: number, y: number): readonly [x: number, y: number];
}

const two = (value: number): number => Math.round(value * 100) / 100;

/**
 * What is kept of a picture of a face: as much as lies in the picture.
 *
 * @param box the liveness box
 * @param widest pixels that it has in the file at most; smaller ones are not enlarged
 */
export function surroundingsOf(picture: { width: number; height: number }, box: Box, widest: number): Surroundings {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const left = Math.max(0, Math.floor(x - (around / 2) * box.width));
  const top = Math.max(0, Math.floor(y - (around / 2) * box.height));
  const width = Math.min(picture.width, Math.ceil(x + (around / 2) * box.width)) - left;
  const height = Math.min(picture.height, Math.ceil(y + (around / 2) * box.height)) - top;
  const scale = Math.min(1, widest / box.width);
  const [fileWidth, fileHeight] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  return {
    left,
    top,
    width,
    height,
    fileWidth,
    fileHeight,
    at: (px, py) => [two(((px - left) * fileWidth) / width), two(((py - top) * fileHeight) / height)],
  };
}
