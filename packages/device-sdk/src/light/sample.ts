import type { LinearColour } from './colours.ts';

/** Where a face is measured; right and left are the person's own. */
export const lightRegions = ['forehead', 'right-cheek', 'left-cheek', 'nose', 'chin'] as const;
export type LightRegion = (typeof lightRegions)[number];

/**
 * Places of a face where dark and bright lie side by side in the same light: iris beside white, lips beside skin. Brows
 * don't tell: hair has a sheen.
 */
export const contrastPlaces = ['right-eye', 'left-eye', 'mouth'] as const;
export type ContrastPlace = (typeof contrastPlaces)[number];

/** Mean colours of the dark and of the bright part of a place. */
export interface Contrast {
  readonly dark: LinearColour;
  readonly bright: LinearColour;
}

/** All that is kept of a frame: twelve mean colours. */
export interface LightSample {
  /** On the clock of the steps. */
  readonly atMs: number;
  /** In the order of {@link lightRegions}; null where burnt out or out of view. */
  readonly regions: readonly (LinearColour | null)[];
  /** In the order of {@link contrastPlaces}; null where burnt out or out of view. */
  readonly contrasts: readonly (Contrast | null)[];
  /** Of what is beside the head; null where nothing can be seen there. */
  readonly background: LinearColour | null;
  /** The face's width over the frame's: how far away it is. */
  readonly faceShare: number;
  /** Share of the face's measured pixels that are burnt out, 0..1. */
  readonly clipped: number;
  /** False where the head looks away from the screen. */
  readonly frontal: boolean;
}
