import { publishedSeeds } from './published-seeds.ts';

/** How many mutually distinct identities are published. */
export const publishedIdentityCount = publishedSeeds.length;

/**
 * The index-th of a list of seeds whose people the engine tells apart from one another.
 *
 * @throws RangeError when the index is not a whole number from 0 to `publishedIdentityCount` − 1
 */
export function identitySeed(index: number): number {
  const seed = publishedSeeds[index];
  if (seed === undefined) throw new RangeError('index of a published identity');
  return seed;
}
