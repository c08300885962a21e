import { beforeAll, describe, expect, it } from 'vitest';
import type { FaceCore } from '../index.ts';
import { bothCores } from '../testing/network-plans.ts';
import { networkReference } from '../testing/network-reference.ts';
import { digestOfNetworks, outputOf, randomNetwork } from '../testing/random-network.ts';
import { createIntegerNetwork, decodeNetwork, encodeNetwork, type IntegerPlan } from './index.ts';

let cores: readonly FaceCore[];
let core: FaceCore;
beforeAll(async () => {
  cores = await bothCores();
  core = cores[0] ?? expect.unreachable();
});

// Of about five layers each; SVC_TEST_NETWORKS sets more.
const { SVC_TEST_NETWORKS: asked = '200' } = process.env;

it('computes the bits of the definition, with SIMD and without: any layers, sums up to 32 bits', () => {
  const count = Number(asked);
  const digest = digestOfNetworks(cores, 0, count);
  if (count > 200) process.stdout.write(`the outputs of ${count} networks: ${digest}\n`);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
});

describe('a file', () => {
  it('has all of the plan', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { plan } = randomNetwork(seed);
      expect(decodeNetwork(encodeNetwork(plan))).toEqual(plan);
    }
  });

  const { plan, input } = randomNetwork(3);
  const file = encodeNetwork(plan);
  const refused = expect.objectContaining({ code: 'model-mismatch' });

  it('that is cut short or goes on is refused', () => {
    for (let length = 0; length < file.length; length += 1 + (length >> 4))
      expect(() => decodeNetwork(file.subarray(0, length))).toThrowError(refused);
    expect(() => decodeNetwork(Uint8Array.of(...file, 0))).toThrowError(refused);
  });

  it('with a wrong bit is refused, or another network that computes as defined', () => {
    const outcomes = { refused: 0, null: 0, computed: 0 };
    for (let at = 0; at < 8 * file.length; at += at < 8 * 1500 ? 11 : 1999) {
      const damaged = file.slice();
      damaged[at >> 3] = (damaged[at >> 3] ?? 0) ^ (1 << (at & 7));
      let other: IntegerPlan;
      try {
        other = decodeNetwork(damaged);
      } catch (error) {
        expect(error).toEqual(refused);
        outcomes.refused++;
        continue;
      }
      const network = createIntegerNetwork(core, other);
      outcomes[network === null ? 'null' : 'computed']++;
      network?.dispose();
      if (network?.inputLength === input.length)
        expect(outputOf(core, other, input)).toEqual(networkReference(other, input)[0]);
    }
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(10);
  });
});
