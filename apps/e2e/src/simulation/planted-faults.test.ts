import { describe, expect, it } from 'vitest';
import { drawHistory } from './history.ts';
import { plantedFaults } from './planted-faults.ts';
import { useSameThreadCrypto } from './same-thread-crypto.ts';
import { run } from './simulate.ts';

/** Number of seeds within which every planted fault is found. */
const SEEDS = 150;

useSameThreadCrypto();

describe('a planted fault is found:', () => {
  it.each(Object.entries(plantedFaults))('%s', { timeout: 300_000 }, async (_name, fault) => {
    let found: string | null = null;
    const { firstSeed = 1 } = fault;
    for (let seed = firstSeed; seed < firstSeed + SEEDS && found === null; seed += 1) {
      found = (await run(drawHistory(seed), fault)).failure?.message ?? null;
    }
    expect(found).not.toBeNull();
  });
});
