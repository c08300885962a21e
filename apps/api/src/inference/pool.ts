import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../platform/errors.ts';
import { FairTurns, type Share, SharedWhole } from '../platform/fair-share.ts';
import {
  type Admission,
  InferenceError,
  type InferencePool,
  type SealResult,
  type SealTask,
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
  const places = new SharedWhole(workers + queue);
  const turns = new FairTurns(workers);
  let ready = false;
  for (let i = 0; i < workers; i += 1) {
    pool.run(null, { name: 'warmUp' }).then(() => {
      ready = true;
    }, report);
  }

  const overloaded = () => new ServiceError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });

  async function work(task: SealTask): Promise<SealResult> {
    const limit = AbortSignal.timeout(WORK_LIMIT_MS);
    try {
      const transferList = [task.photo, ...(task.additionalPhotos ?? [])].map((photo) => photo.buffer);
      const result: SealResult = await pool.run(task, { name: 'seal', signal: limit, transferList });
      return result;
    } catch (cause) {
      if (limit.aborted) throw overloaded();
      throw new InferenceError('the worker failed', { cause });
    }
  }

  const wipe = ({ photo, additionalPhotos = [] }: SealTask) => {
    for (const each of [photo, ...additionalPhotos]) each.fill(0);
  };

  function admit(share: Share, gone: AbortSignal): Admission | null {
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
      async seal(task) {
        const endTurn = await turns.take(share, lost.signal, WAIT_LIMIT_MS);
        if (endTurn === null) {
          wipe(task);
          throw overloaded();
        }
        place.keep();
        try {
          return await work(task);
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

  return {
    hasRoom: (share) => places.hasRoom(share, 1),
    admit,
    isReady: () => ready,
    close() {
      closing = true;
      return pool.destroy();
    },
  };
}
