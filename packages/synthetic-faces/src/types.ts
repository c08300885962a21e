import type { Expression } from './identity/expression.ts';
import type { Worn } from './identity/traits.ts';
import type { BackgroundOptions } from './render/background.ts';
import type { LightOptions } from './render/lighting.ts';

/** One head in a frame. Only `seed` and `spread` define the person; all other options are of the picture. */
export interface HeadOptions {
  readonly seed: number;
  /**
   * Spread of the person's shape, in standard deviations of real people; part of the identity. Default 1.22, and 1.6
   * for the wide people of seeds from 1,000,000 on.
   */
  readonly spread?: number;
  /** What is put on or taken off for the picture. Default: as the person is drawn. */
  readonly wears?: Worn;
  /** Positive to the person's own left (the viewer's right), degrees. Default 0. */
  readonly yawDeg?: number;
  /** Positive upwards, degrees. Default 0. */
  readonly pitchDeg?: number;
  /** Positive clockwise for the viewer, degrees. Default 0. */
  readonly rollDeg?: number;
  readonly expression?: Expression;
  readonly light?: LightOptions;
  /** 1: the face is about a third of the frame's width; 2: half as large. Default 1. */
  readonly distance?: number;
  /** Where the middle of the frontal face lies, as shares of the frame. Default 0.5 and 0.48. */
  readonly centreX?: number;
  readonly centreY?: number;
  /** Camera noise: 0 none, 1 an ordinary webcam. Default 1. Of the first head in a scene. */
  readonly noise?: number;
  /** Another value gives other noise of the same strength. Default 0. Of the first head in a scene. */
  readonly noiseSeed?: number;
}

export interface FrameOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly background?: BackgroundOptions;
  readonly exposure?: number;
}
