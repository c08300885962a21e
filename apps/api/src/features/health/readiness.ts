import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A question that has no answer after this long is not joined: one that hangs must not delay the good news. */
const SHARE_MS = 250;

export interface HealthStore {
  /** Whether it answers within two seconds and takes writes. Never throws. */
  answers(): Promise<boolean>;
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

/** What a node that is not ready lacks. */
export type Lack = 'stopping' | 'models' | 'database' | 'key-store' | 'key-encryption';

export type Readiness = ReturnType<typeof createReadiness>;

const WATCH_MS = 100;

/** Whether this node can serve requests. Writes one line when that changes, because health checks are not logged. */
export function createReadiness(o: {
  readonly database: HealthStore;
  readonly keyStore: HealthStore;
  readonly keyEncryption: HealthStore;
  readonly modelsLoaded: () => boolean;
  readonly stopping: () => boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since the process started. */
  readonly uptimeMs: () => number;
}) {
  const parts = [sharedAnswer(o.database), sharedAnswer(o.keyStore), sharedAnswer(o.keyEncryption)];
  const lacks = ['database', 'key-store', 'key-encryption'] as const;
  const closing = new AbortController();
  let startMs: number | null = null;
  let lostAtMs: number | null = null;
  let watching: Promise<void> = Promise.resolve();

  async function find(): Promise<Lack | null> {
    if (o.stopping()) return 'stopping';
    if (!o.modelsLoaded()) return 'models';
    const answers = await Promise.all(parts.map((part) => part.answers()));
    return lacks.find((_, at) => !answers[at]) ?? null;
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

  /** Asks database, key store and what holds the KEK, within five seconds. Null when this node can serve. Never throws. */
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
    /** From the start of the process until this node was first ready; null until then. */
    startSeconds: (): number | null => (startMs === null ? null : startMs / 1_000),
    /** Logs when this node is first ready, whether anybody asks or not. */
    watch(): void {
      watching = untilReady();
    },
    /** Ends {@link watch}. */
    close(): Promise<void> {
      closing.abort();
      return watching;
    },
  };
}
