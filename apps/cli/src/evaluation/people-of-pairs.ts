import type { ListedPair } from './pairs-csv.ts';

/** Whose photos a pair compares: 0 … people − 1, the same twice for a genuine pair. */
export type PairPeople = readonly [number, number];

/** Who is who in a list of pairs: photos that genuine pairs link, directly or over others, are one person's, and every other photo is another's. */
export function peopleOfPairs(pairs: readonly Pick<ListedPair, 'left' | 'right' | 'same'>[]): PairPeople[] {
  const parent = new Map<string, string>();
  const rootOf = (photo: string): string => {
    let root = photo;
    for (let next = parent.get(root); next !== undefined; next = parent.get(root)) root = next;
    // Shortens the way for the next time.
    for (let at = photo; at !== root; ) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { left, right, same } of pairs) {
    if (!same) continue;
    const [a, b] = [rootOf(left), rootOf(right)];
    if (a !== b) parent.set(b, a);
  }
  const numbers = new Map<string, number>();
  const personOf = (photo: string): number => {
    const root = rootOf(photo);
    const number = numbers.get(root) ?? numbers.size;
    numbers.set(root, number);
    return number;
  };
  return pairs.map(({ left, right }) => [personOf(left), personOf(right)]);
}
