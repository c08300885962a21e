import { randomBytes } from 'node:crypto';
import { createInferencePool } from '@svc/api/testing';

/** The service's inference threads, without HTTP and database. */
export interface BarePool {
  /** Photo in, sealed record out. @throws Error if the photo is refused */
  seal(photo: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface BarePoolOptions {
  readonly workers: number;
  readonly engineId: string;
  /** Folder of the add-on models; null for none. */
  readonly addOnDirectory: string | null;
}

export async function openBarePool({ workers, engineId, addOnDirectory }: BarePoolOptions): Promise<BarePool> {
  const pool = createInferencePool({
    engineId,
    addOnDirectory,
    workers,
    queue: 100,
    onFailure: (error) => {
      throw error;
    },
  });
  while (!pool.isReady()) await new Promise((resolve) => setTimeout(resolve, 50));
  const listKey = new Uint8Array(randomBytes(32));
  let people = 0;
  return {
    async seal(photo) {
      const admission = pool.admit({ name: 'bench', weight: 1 }, new AbortController().signal);
      if (admission === null) throw new Error('the pool is full');
      people += 1;
      try {
        const result = await admission.seal({
          // A copy, because the buffer is transferred to the worker.
          photo: Uint8Array.from(photo),
          listKey,
          listId: 'lst_bench',
          epoch: 1,
          engineId,
          personId: `ticket-${people}`,
          checkPhoto: false,
          isTest: false,
          deleteAfterMs: 4_000_000_000_000,
        });
        if (!result.ok) throw new Error(`the photo was refused: ${result.reason}`);
        return result.record;
      } finally {
        admission.release();
      }
    },
    close: () => pool.close(),
  };
}
