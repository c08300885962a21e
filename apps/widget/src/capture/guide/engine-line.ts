import { WorkerLink } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import type { Guidance } from '../../ports.ts';

/** What the engine's worker can be asked. */
export interface GuideOperations {
  /** Loads the engine from a folder's address, which ends in a slash. */
  start: { readonly ask: { readonly folder: string }; readonly answer: null };
  /** The frame's pixels are the worker's from here on, which wipes them. */
  look: { readonly ask: { readonly frame: PixelImage }; readonly answer: Guidance };
}

/** Loads the engine and runs each model once; on a slow phone over a slow network. */
const START_TIMEOUT_MS = 120_000;
/** A look takes some tens of milliseconds; a worker that says nothing for this long hangs. */
const LOOK_TIMEOUT_MS = 10_000;
/** How long an engine that nobody uses is kept: a retake comes soon or never. */
const KEPT_MS = 60_000;

/** One use of the engine. */
export interface EngineUse {
  /** Resolves once the engine can look. @throws FaceError where it cannot run here */
  readonly ready: Promise<void>;
  /** The frame's buffer moves to the engine, which wipes it. @throws FaceError `runtime-failed` */
  look(frame: PixelImage): Promise<Guidance>;
  /** Idempotent. */
  release(): void;
}

/** The engine in its worker, which is started when it is first used and ended when nobody has used it for a while. */
export interface EngineLine {
  /** @throws where this browser has no workers */
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
        // Models that did not come or do not do as they should: the next use tries anew.
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
