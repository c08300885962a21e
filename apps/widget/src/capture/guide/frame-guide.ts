import { createFrameGrabber, nextVideoFrame } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import type { Guidance, SelfieCamera } from '../../ports.ts';
import { Listeners } from '../listeners.ts';
import type { Advice } from './advice.ts';
import type { EngineLine, EngineUse } from './engine-line.ts';
import { Steadiness } from './steadiness.ts';

/** Size of the frames that are analysed; detector and mesh take 128 and 192 px. */
const LONGEST_SIDE_PX = 640;
/** Interval of the analyses: fast enough for a person, slow enough to keep a phone cool. */
const LOOK_EVERY_MS = 120;

/** Analyses the video element that it follows and reports what the guest can do better. */
export interface FrameGuide {
  readonly state: SelfieCamera['guidance'];
  onGuidance(listener: (guidance: Guidance) => void): () => void;
  onSteady(listener: () => void): () => void;
  /** Analyses until the signal aborts. The first call starts the engine. */
  follow(video: HTMLVideoElement, ended: AbortSignal): void;
  /** Starts waiting for the next steady moment. */
  restart(): void;
  /** Idempotent. */
  close(): void;
}

export interface FrameSource {
  /** @returns null at the end of the stream */
  next(): Promise<PixelImage | null>;
  /** Releases the last picture. */
  dispose(): void;
}

export interface FrameGuideParts {
  readonly framesOf: (video: HTMLVideoElement, ended: AbortSignal) => FrameSource;
  readonly now: () => number;
  /** Ends early if the signal aborts. */
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
      // The shutter works by hand without the engine.
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
        // The frame is of a camera that is off by now.
        if (ended.aborted) return;
        this.#tell(seen);
        await this.#parts.pause(LOOK_EVERY_MS - (this.#parts.now() - startedMs), ended);
      }
    } finally {
      frames.dispose();
    }
  }

  #tell(seen: Advice): void {
    this.state = 'running';
    const { guidance, isSteady } = this.#steadiness.add(seen, this.#parts.now());
    this.#guidance.tell(guidance);
    if (isSteady) this.#steady.tell();
  }
}
