import type { PixelImage } from '@svc/core';
import type { Camera, CameraFrame, Prompt } from '@svc/device-sdk';

/** A picture and its time, milliseconds from the first picture of the clip. */
export interface TimedImage {
  readonly image: PixelImage;
  readonly tMs: number;
  /** See `CameraFrame`. */
  readonly release?: () => void;
}

/** Timing and hooks of a recorded camera. */
export interface PacingOptions {
  /**
   * `recorded` (the default): every frame as fast as it is processed, with the frames' own times. `real-time`: each
   * frame when it is due, as from a camera; late ones are skipped.
   */
  readonly pace?: 'recorded' | 'real-time';
  readonly onPrompt?: (prompt: Prompt) => void;
}

/**
 * A camera over existing frames: rendered, decoded, or from another camera.
 * @param open starts again from the first frame for each attempt
 */
export function createRecordedCamera(
  open: () => Iterable<TimedImage> | AsyncIterable<TimedImage>,
  { pace = 'recorded', onPrompt = () => undefined }: PacingOptions = {},
): Camera {
  return {
    timing: pace === 'recorded' ? 'recorded' : 'live',
    prompt: onPrompt,
    async *frames(signal): AsyncGenerator<CameraFrame> {
      const startedAtMs = performance.now();
      for await (const { tMs, ...frame } of open()) {
        if (pace === 'real-time') await due(startedAtMs + tMs, signal);
        if (signal.aborted) {
          frame.release?.();
          return;
        }
        yield { ...frame, timestampMs: tMs };
      }
    },
  };
}

function due(atMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, atMs - performance.now()));
    signal.addEventListener('abort', done, { once: true });
  });
}
