import { createFrameGrabber, nextVideoFrame, pause } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import type { CameraListeners, FaceBox, Guidance } from '../../ports.ts';
import type { Advice } from './advice.ts';
import type { EngineHost, EngineUse } from './engine-host.ts';

/** Size of the frames that are analysed; detector and mesh take 128 and 192 px. */
const LONGEST_SIDE_PX = 640;
/** Interval of the analyses: fast enough for a person, slow enough to keep a phone cool. */
const LOOK_EVERY_MS = 120;

/** The frames of this browser. */
function framesOf(video: HTMLVideoElement, signal: AbortSignal) {
  const grabber = createFrameGrabber(LONGEST_SIDE_PX);
  return {
    /** @returns null at the end of the stream */
    async next(): Promise<PixelImage | null> {
      const shown = await nextVideoFrame(video, { signal, timeoutMs: Number.POSITIVE_INFINITY });
      return shown === 'frame' ? grabber.grab(video) : null;
    },
    /** Releases the last picture. */
    dispose: () => grabber.dispose(),
  };
}

/** Analyses the video element that it follows and tells what the guest can do better. */
export class FrameGuide {
  readonly #engine: Pick<EngineHost, 'use'>;
  readonly #listeners: Pick<CameraListeners, 'onGuidance' | 'onSteady'>;
  readonly #framesOf: typeof framesOf;
  readonly #steadiness = new Steadiness();
  #use: EngineUse | null = null;
  #isClosed = false;

  constructor(
    engine: Pick<EngineHost, 'use'>,
    listeners: Pick<CameraListeners, 'onGuidance' | 'onSteady'>,
    frames = framesOf,
  ) {
    this.#engine = engine;
    this.#listeners = listeners;
    this.#framesOf = frames;
  }

  /** Analyses until the signal aborts. The first call starts the engine. */
  follow(video: HTMLVideoElement, ended: AbortSignal): void {
    if (this.#isClosed) return;
    this.restart();
    // The shutter works by hand without the engine.
    this.#look(video, ended).catch(() => this.close());
  }

  /** Starts waiting for the next steady moment. */
  restart(): void {
    this.#steadiness.restart();
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#use?.release();
    this.#use = null;
  }

  async #look(video: HTMLVideoElement, ended: AbortSignal): Promise<void> {
    this.#use ??= this.#engine.use();
    const use = this.#use;
    await use.ready;
    const frames = this.#framesOf(video, ended);
    try {
      while (!ended.aborted) {
        const startedMs = performance.now();
        const frame = await frames.next();
        if (frame === null) return;
        const seen = await use.look(frame);
        // The frame is of a camera that is off by now.
        if (ended.aborted || this.#isClosed) return;
        this.#tell(seen);
        await pause(LOOK_EVERY_MS - (performance.now() - startedMs), ended);
      }
    } finally {
      frames.dispose();
    }
  }

  #tell(seen: Advice): void {
    const { guidance, isSteady } = this.#steadiness.add(seen, performance.now());
    this.#listeners.onGuidance(guidance);
    if (isSteady) this.#listeners.onSteady();
  }
}

/** For how long, and in how many frames, a face must stay good and in its place. */
export const steadyLimits = {
  looks: 3,
  ms: 800,
  /** Maximum movement and growth from one frame to the next, in widths of the face. */
  movement: 0.08,
} as const;

/**
 * Reports the moment to take the photo: once, and again after {@link Steadiness.restart} or a frame that was not good.
 */
export class Steadiness {
  #last: FaceBox | null = null;
  #sinceMs = 0;
  #looks = 0;
  #told = false;

  /**
   * @param atMs of any monotonic clock
   * @returns the guidance, with `hold-still` if the face only moves, and whether to take the photo now
   */
  add(advice: Advice, atMs: number): { readonly guidance: Guidance; readonly isSteady: boolean } {
    const { hint, face } = advice;
    if (hint !== null || face === null) {
      this.restart();
      return { guidance: { ...advice, held: 0 }, isSteady: false };
    }
    const moved = this.#last !== null && movementOf(this.#last, face) > steadyLimits.movement;
    if (moved) this.restart();
    this.#last = face;
    if (this.#looks === 0) this.#sinceMs = atMs;
    this.#looks += 1;
    // The first look begins the time, so it counts for nothing yet.
    const held = Math.min(1, (this.#looks - 1) / (steadyLimits.looks - 1), (atMs - this.#sinceMs) / steadyLimits.ms);
    const isSteady = !this.#told && held === 1;
    this.#told ||= isSteady;
    return { guidance: { face, hint: moved ? 'hold-still' : null, held }, isSteady };
  }

  restart(): void {
    this.#last = null;
    this.#looks = 0;
    this.#told = false;
  }
}

/** In widths of the earlier face. x and width are fractions of the picture's width, y and height of its height. */
function movementOf(before: FaceBox, now: FaceBox): number {
  const across = now.x + now.width / 2 - before.x - before.width / 2;
  const down = now.y + now.height / 2 - before.y - before.height / 2;
  return Math.max(
    Math.abs(across) / before.width,
    Math.abs(down) / before.height,
    Math.abs(now.width - before.width) / before.width,
  );
}
