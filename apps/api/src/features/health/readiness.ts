import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type HealthStore, sharedAnswer } from './store.ts';

/** What a node that is not ready lacks. */
export type Lack = 'stopping' | 'models' | 'database' | 'key-store';

export interface Readiness {
  /** Asks the database and the key store, within two seconds. Null when this node can serve. Never throws. */
  lack(): Promise<Lack | null>;
  /** From the start of the process until this node was first ready; null until then. */
  startSeconds(): number | null;
  /** Logs when this node is first ready, whether anybody asks or not. */
  watch(): void;
  /** Ends {@link watch}. */
  close(): Promise<void>;
}

const WATCH_MS = 100;

/** Whether this node can serve requests. Writes one line when that changes, because health checks are not logged. */
export function createReadiness(o: {
  readonly database: HealthStore;
  readonly keyStore: HealthStore;
  readonly modelsLoaded: () => boolean;
  readonly stopping: () => boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since the process started. */
  readonly uptimeMs: () => number;
}): Readiness {
  const [database, keyStore] = [sharedAnswer(o.database), sharedAnswer(o.keyStore)];
  const closing = new AbortController();
  let startMs: number | null = null;
  let lostAtMs: number | null = null;
  let watching: Promise<void> = Promise.resolve();

  async function find(): Promise<Lack | null> {
    if (o.stopping()) return 'stopping';
    if (!o.modelsLoaded()) return 'models';
    const [hasDatabase, hasKeyStore] = await Promise.all([database.answers(), keyStore.answers()]);
    if (!hasDatabase) return 'database';
    return hasKeyStore ? null : 'key-store';
  }

  function note(lack: Lack | null): void {
    // A stop has its own lines.
    if (lack === 'stopping' || o.stopping()) return;
    const nowMs = o.uptimeMs();
    if (lack === null && startMs === null) {
      startMs = nowMs;
      o.logger.info({ startMs: Math.round(startMs) }, 'ready');
    } else if (lack === null && lostAtMs !== null) {
      o.logger.info({ awayMs: Math.round(nowMs - lostAtMs) }, 'ready');
      lostAtMs = null;
    } else if (lack !== null && startMs !== null && lostAtMs === null) {
      lostAtMs = nowMs;
      o.logger.warn({ lack }, 'not ready');
    }
  }

  async function lack(): Promise<Lack | null> {
    const found = await find();
    note(found);
    return found;
  }

  async function untilReady(): Promise<void> {
    const { signal } = closing;
    while (!signal.aborted && startMs === null) {
      await lack();
      if (startMs === null) await pause(WATCH_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    lack,
    startSeconds: () => (startMs === null ? null : startMs / 1_000),
    watch() {
      watching = untilReady();
    },
    close() {
      closing.abort();
      return watching;
    },
  };
}
