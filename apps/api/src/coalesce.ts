import DataLoader from 'dataloader';

/** Keys of one query. */
const MAX_TOGETHER = 100;

/**
 * Look-ups that were asked for in the same turn of the event loop become one query; nothing is remembered, and nobody is given what was read
 * before he asked.
 * @param load answers in the order of the keys
 */
export function coalesce<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  const loader = new DataLoader<Key, Value>(load, {
    cache: false,
    maxBatchSize: MAX_TOGETHER,
    batchScheduleFn: setImmediate,
  });
  return (key) => loader.load(key);
}
