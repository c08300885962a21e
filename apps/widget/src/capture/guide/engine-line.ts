import { WorkerLink } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import type { Guidance } from '../../ports.ts';

/** Requests to the engine's worker. */
export interface GuideOperations {
  /** Loads the engine from a folder's address, which ends in a slash. */
  start: { readonly ask: { readonly folder: string }; readonly answer: null };
  /** Transfers the frame's pixels to the worker, which wipes them. */
  look: { readonly ask: { readonly frame: PixelImage }; readonly answer: Guidance };
}

/** Loads the engine and runs each model once; on a slow phone over a slow network. */
const START_TIMEOUT_MS = 120_000;
/** An analysis takes tens of milliseconds; a worker without an answer for this long hangs. */
const LOOK_TIMEOUT_MS = 10_000;
/** How long an unused engine is kept, for a retake. */
const KEPT_MS = 60_000;

/** One use of the engine. */
export interface EngineUse {
  /** Resolves once the engine is ready. @throws FaceError if it cannot run here */
  readonly ready: Promise<void>;
  /** Transfers the frame's buffer to the engine, which wipes it. @throws FaceError `runtime-failed` */
  look(frame: PixelImage): Promise<Guidance>;
  /** Idempotent. */
  release(): void;
}

/** The engine in its worker. The worker starts with the first use and ends after a time without use. */
export interface EngineLine {
  /** @throws Error if the browser has no workers */
  use(): EngineUse;
}

export interface EngineLineOptions {
  readonly createWorker: () => Worker;
  /** The engine's folder; ends in a slash. */
  readonly folder: URL;
}

interface Started {
  readonly link: WorkerLink<GuideOperations>;
  readonly ready: Promise<void>;
}

export function createEngineLine({ createWorker, folder }: EngineLineOptions): EngineLine {
  let started: Started | null = null;
  let uses = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function start(): Started {
    const link = new WorkerLink<GuideOperations>(createWorker(), () => {
      if (started?.link === link) started = null;
    });
    const ready = link.ask('start', { folder: folder.href }, { timeoutMs: START_TIMEOUT_MS }).then(
      () => undefined,
      (error: unknown) => {
        // Loading failed or the models gave wrong results: the next use starts a new worker.
        link.end();
        throw error;
      },
    );
    ready.catch(() => undefined);
    return { link, ready };
  }

  return {
    use() {
      started ??= start();
      const { link, ready } = started;
      clearTimeout(idle);
      uses += 1;
      let isReleased = false;
      return {
        ready,
        look: (frame) =>
          link.ask('look', { frame }, { timeoutMs: LOOK_TIMEOUT_MS, transfer: [frame.data.buffer as ArrayBuffer] }),
        release() {
          if (isReleased) return;
          isReleased = true;
          uses -= 1;
          if (uses === 0) idle = setTimeout(() => started?.link.end(), KEPT_MS);
        },
      };
    },
  };
}
