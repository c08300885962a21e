import type { PixelImage } from '@svc/core';
import type { Box } from '@svc/face-engine';
import type { Contrast } from './measure.ts';

/** Linear-light sRGB, each 0 to 1. */
export type LinearColour = readonly [red: number, green: number, blue: number];

/** A colour of the whole screen: sRGB bytes, 0 to 255. As CSS: `rgb(red green blue)`. */
export interface LightColour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

const decode = (byte: number): number => {
  const x = byte / 255;
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
};

/** IEC 61966-2-1 decoding of the 256 bytes. */
export const linearOfByte: Float64Array = Float64Array.from({ length: 256 }, (_, byte) => decode(byte));

/** Decodes sRGB bytes to linear light. */
export const linearColour = ({ red, green, blue }: LightColour): LinearColour => [
  linearOfByte[red] ?? 0,
  linearOfByte[green] ?? 0,
  linearOfByte[blue] ?? 0,
];

/**
 * The four colours of a challenge: red and blue high or low, with the green that keeps the relative luminance at one
 * half. Their luminances differ by less than 0.005, so that a change is no flash by WCAG 2.3.1 (0.1), however frequent,
 * and on a screen of 500 cd/m² is a step of 2.5 cd/m², against 20 in ITU-R BT.1702. None is a saturated red.
 */
export const lightPalette = [
  { red: 255, green: 149, blue: 255 },
  { red: 124, green: 194, blue: 255 },
  { red: 124, green: 206, blue: 124 },
  { red: 255, green: 166, blue: 124 },
] as const satisfies readonly LightColour[];

/** White of the same luminance, shown from the start: exposure settles on it, and a face in the dark is lit. */
export const restingLight: LightColour = { red: 188, green: 188, blue: 188 };

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

/** A place is read in squares of this share of its width, so that the noise of single pixels does not sort them. */
const cellsAcross = 12;
const leastCell = 2;
const darkShare = 0.25;
const brightShare = 0.5;
const maxClippedShare = 0.1;

/**
 * Means of the darkest quarter and of the brighter half of a box inside the image; null if it is overexposed or too
 * small.
 */
export function contrastOf(image: PixelImage, box: Box): Contrast | null {
  const side = Math.max(leastCell, Math.round(box.width / cellsAcross));
  const cells: MeanColour[] = [];
  for (let y = Math.round(box.y); y + side <= box.y + box.height; y += side) {
    for (let x = Math.round(box.x); x + side <= box.x + box.width; x += side) {
      cells.push(meanColour(image, { x, y, width: side, height: side }));
    }
  }
  const clipped = cells.reduce((sum, cell) => sum + cell.clipped, 0);
  if (cells.length < leastCells || clipped > maxClippedShare * cells.length) return null;
  cells.sort((a, b) => a.linear[1] - b.linear[1]);
  return {
    dark: meanOf(cells.slice(0, Math.round(darkShare * cells.length))),
    bright: meanOf(cells.slice(Math.round((1 - brightShare) * cells.length))),
  };
}

const leastCells = 12;

function meanOf(cells: readonly MeanColour[]): Contrast['dark'] {
  const channel = (k: 0 | 1 | 2): number => cells.reduce((sum, { linear }) => sum + linear[k], 0) / cells.length;
  return [channel(0), channel(1), channel(2)];
}
