import type { Connection } from '../../db/connection.ts';
import { createSingleFlight } from '../../platform/coalesce.ts';

const TIMEOUT_MS = 2_000;

export interface HealthStore {
  /** Whether the database answers, within two seconds. Never throws. */
  answers(): Promise<boolean>;
}

export function createHealthStore(connection: Connection): HealthStore {
  return {
    async answers() {
      try {
        await connection.raw('SELECT 1').timeout(TIMEOUT_MS);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Concurrent calls share one query: the endpoint is public, and each query would take a connection. */
export function sharedAnswer(store: HealthStore): HealthStore {
  const ask = createSingleFlight<boolean>();
  return { answers: () => ask('answers', () => store.answers()) };
}
