import { createFrameGrabber, nextVideoFrame } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import type { Guidance, SelfieCamera } from '../../ports.ts';
import { Listeners } from '../listeners.ts';
import type { EngineLine, EngineUse } from './engine-line.ts';
import { Steadiness } from './steadiness.ts';

/** Frames are looked at this small: the detector and the mesh see them at 128 and 192 px. */
const LONGEST_SIDE_PX = 640;
/** At most so many looks a second are of use to a person, and leave the phone cool. */
const LOOK_EVERY_MS = 120;

/** Looks at what a video element shows, as long as it is followed, and tells what to do better. */
export interface FrameGuide {
  readonly state: SelfieCamera['guidance'];
  onGuidance(listener: (guidance: Guidance) => void): () => void;
  onSteady(listener: () => void): () => void;
  /** Looks from here on until the signal aborts. The first time starts the engine. */
  follow(video: HTMLVideoElement, ended: AbortSignal): void;
  /** The next steady moment is counted from here. */
  restart(): void;
  /** Idempotent. */
  close(): void;
}

export interface FrameSource {
  /** @returns null once there will be no more */
  next(): Promise<PixelImage | null>;
  /** Lets go of the last picture. */
  dispose(): void;
}

export interface FrameGuideParts {
  readonly framesOf: (video: HTMLVideoElement, ended: AbortSignal) => FrameSource;
  readonly now: () => number;
  /** Ends early where the signal aborts. */
  readonly pause: (ms: number, ended: AbortSignal) => Promise<void>;
}

const ofThisBrowser: FrameGuideParts = {
  framesOf(video, ended) {
    const grabber = createFrameGrabber(LONGEST_SIDE_PX);
    return {
      async next() {
        const shown = await nextVideoFrame(video, { signal: ended, timeoutMs: Number.POSITIVE_INFINITY });
        return shown === 'frame' ? grabber.grab(video) : null;
      },
      dispose: () => grabber.dispose(),
    };
  },
  now: () => performance.now(),
  pause: (ms, ended) =>
    new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        ended.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      ended.addEventListener('abort', finish, { once: true });
    }),
};

export function createFrameGuide(engine: EngineLine, parts: FrameGuideParts = ofThisBrowser): FrameGuide {
  return new LoopingGuide(engine, parts);
}

class LoopingGuide implements FrameGuide {
  readonly #engine: EngineLine;
  readonly #parts: FrameGuideParts;
  readonly #guidance = new Listeners<Guidance>();
  readonly #steady = new Listeners<void>();
  readonly #steadiness = new Steadiness();
  #use: EngineUse | null = null;
  #isClosed = false;
  state: FrameGuide['state'] = 'loading';

  constructor(engine: EngineLine, parts: FrameGuideParts) {
    this.#engine = engine;
    this.#parts = parts;
  }

  onGuidance(listener: (guidance: Guidance) => void): () => void {
    return this.#guidance.add(listener);
  }

  onSteady(listener: () => void): () => void {
    return this.#steady.add(listener);
  }

  follow(video: HTMLVideoElement, ended: AbortSignal): void {
    if (this.#isClosed || this.state === 'absent') return;
    this.restart();
    this.#look(video, ended).catch(() => {
      // Whatever keeps the engine from running here, the shutter works by hand.
      this.state = 'absent';
      this.close();
    });
  }

  restart(): void {
    this.#steadiness.restart();
  }

  close(): void {
    this.#isClosed = true;
    this.#use?.release();
    this.#use = null;
    this.#guidance.clear();
    this.#steady.clear();
  }

  async #look(video: HTMLVideoElement, ended: AbortSignal): Promise<void> {
    this.#use ??= this.#engine.use();
    const use = this.#use;
    await use.ready;
    const frames = this.#parts.framesOf(video, ended);
    try {
      while (!ended.aborted) {
        const startedMs = this.#parts.now();
        const frame = await frames.next();
        if (frame === null) return;
        const seen = await use.look(frame);
        // What was seen by a camera that is off says nothing of the one that is on.
        if (ended.aborted) return;
        this.#tell(seen);
        await this.#parts.pause(LOOK_EVERY_MS - (this.#parts.now() - startedMs), ended);
      }
    } finally {
      frames.dispose();
    }
  }

  #tell(seen: Guidance): void {
    this.state = 'running';
    const { guidance, isSteady } = this.#steadiness.add(seen, this.#parts.now());
    this.#guidance.tell(guidance);
    if (isSteady) this.#steady.tell();
  }
}
