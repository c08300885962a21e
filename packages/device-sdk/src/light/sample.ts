import type { LinearColour } from './colours.ts';

/** Where a face is measured; right and left are the person's own. */
export const lightRegions = ['forehead', 'right-cheek', 'left-cheek', 'nose', 'chin'] as const;
export type LightRegion = (typeof lightRegions)[number];

/** All that is kept of a frame: six mean colours. */
export interface LightSample {
  /** On the clock of the steps. */
  readonly atMs: number;
  /** In the order of {@link lightRegions}; null where burnt out or out of view. */
  readonly regions: readonly (LinearColour | null)[];
  /** Of what is beside the head; null where nothing can be seen there. */
  readonly background: LinearColour | null;
  /** Share of the face's measured pixels that are burnt out, 0..1. */
  readonly clipped: number;
  /** False where the head looks away from the screen. */
  readonly frontal: boolean;
}
