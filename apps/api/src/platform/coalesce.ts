import DataLoader from 'dataloader';

/** Keys of one query. */
const MAX_TOGETHER = 100;
/** A query that takes longer than this is waited for by none behind it: the database is slow, or hangs. */
const PATIENCE_MS = 25;

/** Starts queries in the next turn of the event loop; while one is on its way, once that is back. */
class Departures {
  /** When each that is on its way has left, the oldest first. */
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

/** While work of a name is on its way, all who ask for the name share its outcome. Nothing is remembered. */
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
 * Look-ups become one query that were asked for in the same turn of the event loop, or while the query before was on
 * its way: the busier the node, the fewer its queries. Nothing is remembered, and nobody is given what was read before
 * he asked.
 * @param load answers in the order of the keys
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
