import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` for 0 to `count` - 1, `atOnce` at a time. @returns the results in order */
export async function each<T>(count: number, atOnce: number, work: (turn: number) => Promise<T>): Promise<T[]> {
  const results: T[] = new Array(count);
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const turn = next++;
      results[turn] = await work(turn);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
  return results;
}

/** Starts pieces of work at a fixed rate until `isOver`, whatever becomes of those before; then waits for all. */
export async function atRate(
  perSecond: number,
  isOver: (started: number) => boolean,
  work: (turn: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  const running = new Set<Promise<unknown>>();
  for (let turn = 0; !isOver(turn); turn += 1) {
    const early = startedAt + (turn * 1_000) / perSecond - performance.now();
    if (early > 1) await sleep(early);
    const piece = work(turn).finally(() => running.delete(piece));
    running.add(piece);
  }
  await Promise.all(running);
}

/** The element at an index modulo the length. @throws Error for an empty list */
export const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
};
