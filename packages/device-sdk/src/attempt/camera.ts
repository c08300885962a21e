import type { PixelImage } from '@svc/core';
import type { LightColour } from '../light/colours.ts';
import type { Timers } from '../platform/platform.ts';
import type { Prompt } from '../verification/states.ts';

/**
 * One picture. It must not share its pixels with other frames: the next frame is requested while this one waits or is
 * processed, so a camera with one buffer must copy. The SDK neither keeps nor changes the pixels; overwrite them in
 * `release`.
 */
export interface CameraFrame {
  /** Unmirrored and upright. */
  readonly image: PixelImage;
  /**
   * Time of the picture in milliseconds, on any camera clock that never goes back. A frame that is not later than the
   * last is skipped.
   */
  readonly timestampMs: number;
  /**
   * Called once when the SDK is done with the frame, processed or not: overwrite or reuse the pixels here. Errors are
   * ignored.
   */
  readonly release?: () => void;
}

export function releaseFrame(frame: CameraFrame): void {
  try {
    frame.release?.();
  } catch {
    // A camera error here must not affect the result.
  }
}

/** A screen that can light the face in front of the camera. */
export interface ScreenLight {
  /**
   * Shows a colour on as much of the screen as possible, at full brightness and without fading, until the next call;
   * null restores the screen. The first colour of an attempt may fade in for up to half a second, and the end may fade
   * out. Errors are ignored.
   */
  show(colour: LightColour | null): void;
  /**
   * Luminous intensity of the screen when all white, candela: its luminance in cd/m² times its lit area in m². A phone
   * has about 5, a tablet or laptop 14 (the default). Used to estimate the ambient light; accuracy within a factor of
   * 1.4 is enough.
   */
  readonly candela?: number;
}

/** A camera and the screen next to it. */
export interface Camera {
  /**
   * Starts the camera; called once per attempt. Ends when `signal` aborts. Throws if there is no camera; an error named
   * `NotAllowedError` means denied.
   */
  frames(signal: AbortSignal): AsyncIterable<CameraFrame>;
  /** Shows the current instruction. Errors are ignored. */
  prompt(prompt: Prompt): void;
  /**
   * `live` (the default): stale frames are skipped, and the device's clock also ends the window. `recorded`: every
   * frame is processed, and time is that of the frames; for evaluation and tests.
   */
  readonly timing?: 'live' | 'recorded';
  /**
   * Omit it if no screen faces the person, or the person is sensitive to changing light: then there is no light
   * challenge.
   */
  readonly light?: ScreenLight;
  /**
   * `device`: the platform says that the frames come from a camera of the device, and neither from a file nor from
   * another program. `unknown` (the default): it does not say; no attempt of an unattended list matches. Read before the
   * camera is opened, and at each frame: it may not be known before.
   */
  readonly origin?: 'device' | 'unknown';
}

export interface FrameSource {
  /** The next frame, which the caller releases; null after the last. Rejects with the camera's error. */
  next(): Promise<CameraFrame | null>;
  /** Number of frames that arrived but were not taken; they are released. */
  readonly dropped: number;
  /** Stops the camera without waiting for it. */
  close(): void;
}

export function openFrameSource(camera: Camera, timers: Timers, signal: AbortSignal): FrameSource {
  const iterator = camera.frames(signal)[Symbol.asyncIterator]();
  return camera.timing === 'recorded' ? everyFrame(iterator) : latestFrame(iterator, timers);
}

/** A camera that fails to stop does not affect the result. */
function letGo(iterator: AsyncIterator<CameraFrame>): void {
  const stop = async () => iterator.return?.();
  stop().catch(() => undefined);
}

function everyFrame(iterator: AsyncIterator<CameraFrame>): FrameSource {
  return {
    dropped: 0,
    next: async () => {
      const { done, value } = await iterator.next();
      return done === true ? null : value;
    },
    close: () => letGo(iterator),
  };
}

/** Reads continuously and keeps only the newest frame, so that a busy device never works through a backlog. */
function latestFrame(iterator: AsyncIterator<CameraFrame>, timers: Timers): FrameSource {
  /** Released unless taken. */
  let newest: CameraFrame | null = null;
  let dropped = 0;
  let closed = false;
  let arrived = () => {};

  const take = (): CameraFrame | null => {
    const frame = newest;
    newest = null;
    return frame;
  };
  const drop = () => {
    const frame = take();
    if (frame !== null) releaseFrame(frame);
  };

  const pump = async () => {
    while (!closed) {
      const { done, value } = await iterator.next();
      if (done === true) return;
      const stale = newest !== null;
      drop();
      newest = value;
      if (closed) drop();
      arrived();
      if (!stale) continue;
      dropped += 1;
      // Yields, so that a camera with endless buffered frames does not block the program.
      await new Promise<void>((resolve) => void timers.after(0, resolve));
    }
  };
  const pumping = pump();
  pumping.catch(() => undefined);

  return {
    get dropped() {
      return dropped;
    },
    next: async () => {
      if (newest === null) await Promise.race([pumping, new Promise<void>((resolve) => (arrived = resolve))]);
      return take();
    },
    close: () => {
      closed = true;
      drop();
      letGo(iterator);
    },
  };
}
