import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../platform/errors.ts';
import { FairQuota, FairTurns, type Share } from '../platform/fair-share.ts';
import {
  type Admission,
  InferenceError,
  type InferencePool,
  type SealResult,
  type SealTask,
  type UnreadableImage,
  type WorkerSettings,
} from './port.ts';

export interface InferencePoolOptions {
  /** The engine that workers load at the start; default: the preferred installed one. */
  readonly engineId?: string | undefined;
  /** Folder of the add-on models; default: none. */
  readonly addOnDirectory?: string | null;
  readonly workers: number;
  /** Enrolments that may wait for a worker, in addition to those in progress. */
  readonly queue: number;
  /** Called when a worker cannot load its models or dies. */
  readonly onFailure: (error: unknown) => void;
}

/** Longer than a full queue takes on a slow machine: a longer wait means that the workers hang. */
const WAIT_LIMIT_MS = 30_000;
/** A photo takes well below a second, and decoding times out after ten. */
const WORK_LIMIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;

/**
 * The thread's entry and worker module are next to this module: TypeScript in the source tree, JavaScript in the
 * bundle.
 */
function threadOf({ engineId, addOnDirectory = null }: Pick<InferencePoolOptions, 'engineId' | 'addOnDirectory'>) {
  const fromSource = import.meta.url.endsWith('.ts');
  const module = fromSource
    ? new URL('./worker-from-source.mjs', import.meta.url)
    : new URL('./worker.js', import.meta.url);
  return {
    filename: fileURLToPath(new URL('./thread.cjs', import.meta.url)),
    workerData: { module: module.href, engineId, addOnDirectory } satisfies WorkerSettings,
    execArgv: fromSource ? ['--conditions=svc-source'] : [],
  };
}

/** Creates a pool of worker threads, each with its own engine. Models are loaded in the background. */
export function createInferencePool(options: InferencePoolOptions): InferencePool {
  const { workers, queue, onFailure } = options;
  const pool = new Piscina({
    ...threadOf(options),
    minThreads: workers,
    maxThreads: workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    maxQueue: workers + queue + workers,
    recordTiming: false,
    // Without secrets from the environment: only paths of temporary files and libraries.
    env: {},
  });
  let closing = false;
  const report = (error: unknown) => {
    if (!closing) onFailure(error);
  };
  // When a thread dies, its task is rejected and the pool starts another thread.
  pool.on('error', report);
  const places = new FairQuota(workers + queue);
  const turns = new FairTurns(workers);
  let ready = false;
  for (let i = 0; i < workers; i += 1) {
    pool.run(null, { name: 'warmUp' }).then(() => {
      ready = true;
    }, report);
  }

  const overloaded = () => new ServiceError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });

  async function ask<T>(name: string, task: unknown, transferList: readonly ArrayBuffer[]): Promise<T> {
    const limit = AbortSignal.timeout(WORK_LIMIT_MS);
    try {
      return await pool.run(task, { name, signal: limit, transferList: [...transferList] });
    } catch (cause) {
      if (limit.aborted) throw overloaded();
      throw new InferenceError('the worker failed', { cause });
    }
  }

  const photosOf = ({ photo, additionalPhotos = [] }: SealTask) => [photo, ...additionalPhotos];
  const seal = (task: SealTask) =>
    ask<SealResult>(
      'seal',
      task,
      photosOf(task).map((photo) => photo.buffer),
    );

  /** A place in the queue, in which each piece of work waits for a turn. */
  function takePlace(share: Share, gone: AbortSignal) {
    // Aborted when the caller disconnects, or when another share gets the place.
    const lost = new AbortController();
    const onGone = () => lost.abort();
    if (gone.aborted) onGone();
    else gone.addEventListener('abort', onGone, { once: true });
    const place = places.open(share, onGone);
    if (!place.take(1)) {
      place.close();
      return null;
    }
    return {
      async inTurn<T>(work: () => Promise<T>, whenLost: () => void): Promise<T> {
        const endTurn = await turns.take(share, lost.signal, WAIT_LIMIT_MS);
        if (endTurn === null) {
          whenLost();
          throw overloaded();
        }
        place.keep();
        try {
          return await work();
        } finally {
          endTurn();
        }
      },
      release: () => {
        gone.removeEventListener('abort', onGone);
        place.close();
      },
    };
  }

  function admit(share: Share, gone: AbortSignal): Admission | null {
    const place = takePlace(share, gone);
    if (place === null) return null;
    return {
      seal: (task) =>
        place.inTurn(
          () => seal(task),
          () => {
            for (const photo of photosOf(task)) photo.fill(0);
          },
        ),
      release: () => place.release(),
    };
  }

  async function drawLogo(
    image: Uint8Array<ArrayBuffer>,
    share: Share,
    gone: AbortSignal,
  ): Promise<Uint8Array | UnreadableImage> {
    const place = takePlace(share, gone);
    if (place === null) throw overloaded();
    try {
      return await place.inTurn(
        () => ask<Uint8Array | UnreadableImage>('drawLogo', image, [image.buffer]),
        () => undefined,
      );
    } finally {
      place.release();
    }
  }

  return {
    hasRoom: (share) => places.hasRoom(share, 1),
    admit,
    drawLogo,
    isReady: () => ready,
    close() {
      closing = true;
      return pool.destroy();
    },
  };
}
