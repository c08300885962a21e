import type { PixelImage } from '@svc/core';
import type { Guidance } from '../../ports.ts';

/** What the engine's worker can be asked. */
export interface GuideOperations {
  /** Loads the engine from a folder's address, which ends in a slash. */
  start: { readonly ask: { readonly folder: string }; readonly answer: null };
  /** The frame's pixels are the worker's from here on, which wipes them. */
  look: { readonly ask: { readonly frame: PixelImage }; readonly answer: Guidance };
}
