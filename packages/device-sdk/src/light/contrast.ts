import type { PixelImage } from '@svc/core';
import type { Box } from '@svc/face-engine';
import { type MeanColour, meanColour } from './mean-colour.ts';
import type { Contrast } from './sample.ts';

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
