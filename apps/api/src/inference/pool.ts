import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ServiceError } from '../errors.ts';
import { type Admission, InferenceError, type InferencePool, type SealResult, type SealTask } from './port.ts';

export interface InferencePoolOptions {
  readonly workers: number;
  /** Enrolments that may wait for a worker, besides those being worked on. */
  readonly queue: number;
  /** Told when a worker cannot load its models or dies. */
  readonly onFailure: (error: unknown) => void;
}

/** Waiting for a worker included. A photo takes well below a second, and its decoding is given up after ten by itself. */
const TASK_DEADLINE_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;

/** The worker lies beside this module: as TypeScript in the source tree, as JavaScript in the bundle. */
function workerFile(): { filename: string; execArgv: string[] } {
  const fromSource = import.meta.url.endsWith('.ts');
  const file = fromSource
    ? new URL('./worker-from-source.mjs', import.meta.url)
    : new URL('./worker.js', import.meta.url);
  return { filename: fileURLToPath(file), execArgv: fromSource ? ['--conditions=svc-source'] : [] };
}

/** A pool of worker threads, each with an engine of its own. Their models load in the background. */
export function createInferencePool(options: InferencePoolOptions): InferencePool {
  const { workers, queue, onFailure } = options;
  const pool = new Piscina({
    ...workerFile(),
    minThreads: workers,
    maxThreads: workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    maxQueue: workers + queue + workers,
    recordTiming: false,
    // A worker needs nothing of the environment, where secrets may be, but the way to temporary files and libraries.
    env: {},
  });
  let closing = false;
  const report = (error: unknown) => {
    if (!closing) onFailure(error);
  };
  // A thread that dies takes its task with it, which is told to whoever waits for it; the pool starts another thread.
  pool.on('error', report);
  let admitted = 0;
  let ready = false;
  for (let i = 0; i < workers; i += 1) {
    pool.run(null, { name: 'warmUp' }).then(() => {
      ready = true;
    }, report);
  }

  async function seal(task: SealTask): Promise<SealResult> {
    const deadline = AbortSignal.timeout(TASK_DEADLINE_MS);
    try {
      const result: SealResult = await pool.run(task, {
        name: 'seal',
        signal: deadline,
        transferList: [task.photo.buffer],
      });
      return result;
    } catch (cause) {
      if (deadline.aborted) throw new ServiceError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      throw new InferenceError('the worker failed', { cause });
    }
  }

  function admit(): Admission | null {
    if (admitted >= workers + queue) return null;
    admitted += 1;
    let held = true;
    return {
      seal,
      release() {
        if (held) admitted -= 1;
        held = false;
      },
    };
  }

  return {
    admit,
    isReady: () => ready,
    close() {
      closing = true;
      return pool.destroy();
    },
  };
}
