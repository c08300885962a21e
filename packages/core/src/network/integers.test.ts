import { beforeAll, describe, expect, it } from 'vitest';
import type { FaceCore } from '../index.ts';
import { bothCores, noise } from '../testing/network-plans.ts';
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

it('computes those of blocks with an odd end, of windows below a map, and of zeros without a sign', () => {
  const map = (channels: number, scale: number | null) => ({
    ...{ height: 12, width: 12, channels },
    integers: scale === null ? null : { scale, most: 8191 },
  });
  const maps = [map(3, null), map(4, 1 / 4096), map(8, 1), map(8, 1000), map(8, null)];
  const below = { size: [2, 1], border: [0, 1, 0, 0] } as const;
  const windows = [{ size: [5, 5], border: [2, 2, 2, 2] } as const, below, below].map(({ size, border }, i) => {
    const length = 8 * size[0] * size[1] * (maps[i + 1]?.channels ?? 0);
    const values = Int16Array.from({ length }, (_, at) => ((37 * at) % 255) - 127);
    return {
      kind: 'convolution',
      ...{ input: i + 1, output: i + 2, size, border, stride: 1, residual: null },
      ...{ filters: { values, scales: new Float32Array(8).fill(1) }, bias: new Float32Array(8) },
      activation: Float32Array.of(0, -1, 0.5, 1, 0, 0, 0, 0),
    } as const;
  });
  const ones = new Float32Array(3).fill(1);
  const layers = [{ kind: 'quantise', input: 0, output: 1, scales: ones, offsets: ones } as const, ...windows];
  const plan = { maps, layers, input: 0, outputs: [{ map: 4, channels: 8 }], results: [[12, 12, 8]] };
  const input = noise('input', 12 * 12 * 3);
  for (const core of cores) expect(outputOf(core, plan, input)).toEqual(networkReference(plan, input)[0]);
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
