import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../db/connection.ts';

const TIMEOUT_MS = 2_000;
/** A question that has no answer after this long is not joined: one that hangs must not delay the good news. */
const SHARE_MS = 250;

export interface HealthStore {
  /** Whether the database answers, within two seconds. Never throws. */
  answers(): Promise<boolean>;
}

export function createHealthStore(connection: Connection): HealthStore {
  async function ask(): Promise<boolean> {
    try {
      await connection.raw('SELECT 1').timeout(TIMEOUT_MS);
      return true;
    } catch {
      return false;
    }
  }
  return {
    // knex's own limit begins when the query has a connection.
    async answers() {
      const over = new AbortController();
      const late = pause(TIMEOUT_MS, false, { signal: over.signal }).catch(() => false);
      const answer = await Promise.race([ask(), late]);
      over.abort();
      return answer;
    },
  };
}

/** Calls at about the same time share one query: the endpoint is public, and each query would take a connection. */
export function sharedAnswer(store: HealthStore): HealthStore {
  let asked: { readonly atMs: number; readonly answer: Promise<boolean> } | null = null;
  return {
    answers() {
      const nowMs = performance.now();
      if (asked === null || nowMs - asked.atMs > SHARE_MS) {
        const answer = store.answers().finally(() => {
          if (asked?.answer === answer) asked = null;
        });
        asked = { atMs: nowMs, answer };
      }
      return asked.answer;
    },
  };
}
