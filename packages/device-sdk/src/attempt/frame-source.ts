import type { Timers } from '../ports/platform.ts';
import { type Camera, type CameraFrame, releaseFrame } from './camera.ts';

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
  type Waiter = { readonly resolve: (frame: CameraFrame | null) => void; readonly reject: (error: unknown) => void };
  /** Released unless taken. */
  let newest: CameraFrame | null = null;
  let end: { readonly error: unknown } | 'ended' | null = null;
  let waiter: Waiter | null = null;
  let dropped = 0;
  let closed = false;

  const drop = () => {
    if (newest !== null) releaseFrame(newest);
    newest = null;
  };

  const settle = () => {
    if (waiter === null || (newest === null && end === null)) return;
    const { resolve, reject } = waiter;
    waiter = null;
    if (newest !== null) {
      const frame = newest;
      newest = null;
      resolve(frame);
    } else if (end === 'ended') resolve(null);
    else reject(end?.error);
  };

  const pump = async () => {
    try {
      while (!closed) {
        const { done, value } = await iterator.next();
        if (done === true) break;
        const stale = newest !== null;
        drop();
        newest = value;
        if (closed) drop();
        settle();
        if (!stale) continue;
        dropped += 1;
        // Yields, so that a camera with endless buffered frames does not block the program.
        await new Promise<void>((resolve) => void timers.after(0, resolve));
      }
      end = 'ended';
    } catch (error) {
      end = { error };
    }
    settle();
  };
  void pump();

  return {
    get dropped() {
      return dropped;
    },
    next: () =>
      new Promise((resolve, reject) => {
        waiter = { resolve, reject };
        settle();
      }),
    close: () => {
      closed = true;
      drop();
      letGo(iterator);
    },
  };
}
