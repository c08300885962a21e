/** Random numbers determined by a seed, so that a run can be identified and repeated. */
export interface SeededRandom {
  /** 0 ≤ n < 1 */
  next(): number;
  /** A whole number, both ends inclusive. */
  between(least: number, most: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** @param probability 0 to 1 */
  chance(probability: number): boolean;
  /** Another sequence, also determined by the seed. */
  fork(): SeededRandom;
}

/** Mulberry32. @param seed u32 */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
    chance: (probability) => next() < probability,
    fork: () => createSeededRandom(Math.floor(next() * 2 ** 32)),
  };
}
