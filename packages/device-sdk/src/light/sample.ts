import type { LinearColour } from './colours.ts';

/** Measured regions of a face; right and left are the person's own. */
export const lightRegions = ['forehead', 'right-cheek', 'left-cheek', 'nose', 'chin'] as const;
export type LightRegion = (typeof lightRegions)[number];

/**
 * Places of a face where dark and bright are adjacent in the same light: iris and white, lips and skin. Not brows: hair
 * has a sheen.
 */
export const contrastPlaces = ['right-eye', 'left-eye', 'mouth'] as const;
export type ContrastPlace = (typeof contrastPlaces)[number];

/** Mean colours of the dark and of the bright part of a place. */
export interface Contrast {
  readonly dark: LinearColour;
  readonly bright: LinearColour;
}

/** The data kept of a frame: twelve mean colours. */
export interface LightSample {
  /** On the clock of the steps. */
  readonly atMs: number;
  /** In the order of {@link lightRegions}; null if overexposed or out of view. */
  readonly regions: readonly (LinearColour | null)[];
  /** In the order of {@link contrastPlaces}; null if overexposed or out of view. */
  readonly contrasts: readonly (Contrast | null)[];
  /** Mean colour beside the head; null if out of view. */
  readonly background: LinearColour | null;
  /** The face's width over the frame's, which gives its distance. */
  readonly faceShare: number;
  /** Share of the face's measured pixels that are overexposed, 0 to 1. */
  readonly clipped: number;
  /** False if the head looks away from the screen. */
  readonly frontal: boolean;
}
