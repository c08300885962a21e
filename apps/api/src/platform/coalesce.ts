import DataLoader from 'dataloader';

/** Keys per query. */
const MAX_TOGETHER = 100;
/** After this time the next query no longer waits for a slow one. */
const PATIENCE_MS = 25;

/** Starts a query in the next turn of the event loop, or when the current one returns. */
class Departures {
  /** Start times of queries in progress, oldest first. */
  readonly #onTheirWay = new Map<symbol, number>();
  readonly #waiting = new Set<() => void>();

  readonly schedule = (depart: () => void): void => {
    setImmediate(() => {
      const [oldest] = this.#onTheirWay.values();
      const waitMs = oldest === undefined ? 0 : oldest + PATIENCE_MS - performance.now();
      if (waitMs <= 0) return depart();
      const go = () => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        depart();
      };
      const timer = setTimeout(go, waitMs);
      this.#waiting.add(go);
    });
  };

  async follow<T>(query: () => Promise<T>): Promise<T> {
    const id = Symbol();
    this.#onTheirWay.set(id, performance.now());
    try {
      return await query();
    } finally {
      this.#onTheirWay.delete(id);
      for (const go of this.#waiting) go();
    }
  }
}

/** Concurrent work of one name shares its result. Nothing is cached. */
export function createSingleFlight<Value>(): (name: string, work: () => Promise<Value>) => Promise<Value> {
  const onTheirWay = new Map<string, Promise<Value>>();
  return (name, work) => {
    const found = onTheirWay.get(name);
    if (found !== undefined) return found;
    const begun = work().finally(() => onTheirWay.delete(name));
    onTheirWay.set(name, begun);
    return begun;
  };
}

/**
 * Combines look-ups of one event loop turn, or during the previous query, into one query, so that a busy node needs
 * fewer. Nothing is cached: no caller gets data read before its call.
 * @param load returns values in the order of the keys
 */
export function coalesce<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  const departures = new Departures();
  const loader = new DataLoader<Key, Value>((keys) => departures.follow(() => load(keys)), {
    cache: false,
    maxBatchSize: MAX_TOGETHER,
    batchScheduleFn: departures.schedule,
  });
  return (key) => loader.load(key);
}
