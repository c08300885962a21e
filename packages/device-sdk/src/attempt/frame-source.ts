import type { Timers } from '../ports/platform.ts';
import { type Camera, type CameraFrame, releaseFrame } from './camera.ts';

export interface FrameSource {
  /**
   * The next frame to look at, to be released by whoever takes it; null after the last. Rejects with what the camera
   * threw.
   */
  next(): Promise<CameraFrame | null>;
  /** Frames that came and were never asked for; they are released. */
  readonly dropped: number;
  /** Lets the camera go without waiting for it. */
  close(): void;
}

export function openFrameSource(camera: Camera, timers: Timers, signal: AbortSignal): FrameSource {
  const iterator = camera.frames(signal)[Symbol.asyncIterator]();
  return camera.timing === 'recorded' ? everyFrame(iterator) : latestFrame(iterator, timers);
}

/** A camera that fails to stop is not the guest's business any more. */
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

/** Pulls all the time and keeps only the newest: a busy device looks at the present, never at a queue of the past. */
function latestFrame(iterator: AsyncIterator<CameraFrame>, timers: Timers): FrameSource {
  type Waiter = { readonly resolve: (frame: CameraFrame | null) => void; readonly reject: (error: unknown) => void };
  /** Released unless it is taken. */
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
        // A camera that has frames without end at hand must not keep the program from anything else.
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
