import type { PixelImage } from '@svc/core';
import type { LightColour } from '../light/colours.ts';
import type { Prompt } from '../verification/prompts.ts';

/**
 * One picture, with pixels of its own: the next frame is asked for while this one still waits or is being looked at, so
 * a camera that fills one buffer again and again hands over a copy. The SDK neither keeps nor changes them: what is to
 * be overwritten is so by `release`.
 */
export interface CameraFrame {
  /** Unmirrored, upright. */
  readonly image: PixelImage;
  /**
   * When it was taken: milliseconds on any clock of the camera's that never steps back. A frame not later than the last
   * is skipped.
   */
  readonly timestampMs: number;
  /**
   * Called once when the SDK is done with the frame, whether or not it was looked at: overwrite the pixels here, or use
   * their memory again. What it throws is not looked at.
   */
  readonly release?: () => void;
}

/** For whoever is done with a frame. */
export function releaseFrame(frame: CameraFrame): void {
  try {
    frame.release?.();
  } catch {
    // A camera that can't take its frame back decides nothing at the door.
  }
}

/** A screen that can light the face before the camera. */
export interface ScreenLight {
  /**
   * Shows a colour on as much of the screen as can be, at full brightness and without fading, until the next call; null
   * gives the screen back. The first colour of an attempt may fade in over half a second, and its end may fade out.
   * What it throws is not looked at.
   */
  show(colour: LightColour | null): void;
  /**
   * What the screen gives all white, candela: its luminance in cd/m² times its lit area in m². A phone has some 5, a
   * tablet or a laptop 14, which is taken where it is left out. From it the light tells how strong the other light is;
   * to a factor of 1.4 is enough.
   */
  readonly candela?: number;
}

/** A camera and the screen beside it. */
export interface Camera {
  /**
   * Starts the camera. Ends when `signal` aborts, throws when there is no camera: an error named `NotAllowedError`
   * reads as denied. Called once an attempt.
   */
  frames(signal: AbortSignal): AsyncIterable<CameraFrame>;
  /** Shows what to do now. What it throws is not looked at. */
  prompt(prompt: Prompt): void;
  /**
   * `live` (the default): frames come by themselves, stale ones are skipped, and the device's clock ends the window
   * too. `recorded`: every frame is looked at, and time is what their timestamps say; for evaluation and tests.
   */
  readonly timing?: 'live' | 'recorded';
  /**
   * Left out where no screen faces the person, or the person is sensitive to changing light: then no light is asked
   * for.
   */
  readonly light?: ScreenLight;
}
