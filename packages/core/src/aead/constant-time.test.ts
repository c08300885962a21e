import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelExports } from '../kernel.ts';
import { instantiateKernel } from '../testing/core-binaries.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createNodeAead } from '../testing/peers.ts';

// The kernel's tables and work space lie below the heap.
const keyAt = 65_536;
const nonceAt = keyAt + 32;
const tagAt = nonceAt + 16;
const aadAt = tagAt + 16;
const dataAt = aadAt + 4096;

const nonce = patternBytes('constant-time nonce', 12);
const aad = patternBytes('constant-time aad', 37);
const openssl = createNodeAead();

/** Of one block and less, a batch, the end of a sweep, two sweeps. */
const lengths = [0, 1, 16, 97, 544, 1000, 2048];
const secrets = Array.from({ length: 12 }, (_, i) => i);

interface Run {
  /** How many values were told, and a hash of all in order. */
  readonly trace: readonly [count: number, hash: number];
  readonly status: number;
  readonly data: Uint8Array;
  readonly tag: Uint8Array;
  /** The kernel's tables and work space afterwards. */
  readonly below: Uint8Array;
}

describe.each(['simd', 'scalar'] as const)('AES-256-GCM of the %s core', (kind) => {
  let count = 0;
  let hash = 0;
  let exports: KernelExports;
  beforeAll(async () => {
    exports = await instantiateKernel(kind, (place, value) => {
      count += 1;
      hash = Math.imul(Math.imul(hash, 31) + place, 0x01000193) ^ value;
      return value;
    });
    exports.memory.grow(3);
  });

  function run(name: 'gcmSeal' | 'gcmOpen', key: Uint8Array, data: Uint8Array, tag = new Uint8Array(16)): Run {
    const memory = new Uint8Array(exports.memory.buffer);
    memory.set(key, keyAt);
    memory.set(nonce, nonceAt);
    memory.set(tag, tagAt);
    memory.set(aad, aadAt);
    memory.set(data, dataAt);
    [count, hash] = [0, 0];
    const status = exports[name](keyAt, nonceAt, aadAt, aad.length, dataAt, data.length, tagAt) ?? 0;
    return {
      trace: [count, hash],
      status,
      data: memory.slice(dataAt, dataAt + data.length),
      tag: memory.slice(tagAt, tagAt + 16),
      below: memory.slice(0, keyAt),
    };
  }

  const keyOf = (i: number) => patternBytes(`constant-time key ${i}`, 32);

  it.each(lengths)('seals %i bytes by one trace, whatever key and plaintext', (length) => {
    const runs = secrets.map((i) => {
      const plaintext = patternBytes(`constant-time plaintext ${i}`, length);
      const made = run('gcmSeal', keyOf(i), plaintext);
      // The instrumented module computes the real result.
      const sealed = openssl.sealSync(keyOf(i), nonce, plaintext, aad);
      expect(Buffer.concat([made.data, made.tag]).equals(sealed)).toBe(true);
      return made;
    });
    expect(runs[0]?.trace[0]).toBeGreaterThan(500);
    expect(new Set(runs.map(({ trace }) => trace.join())).size).toBe(1);
    // Nothing of a secret stays in work space.
    for (const { below } of runs) expect(Buffer.compare(below, runs[0]?.below ?? below)).toBe(0);
  });

  it.each(lengths)(
    'opens %i bytes by two traces: of right and of wrong tags, whatever is wrong with them',
    (length) => {
      const traces = { right: new Set<string>(), wrong: new Set<string>() };
      for (const i of secrets) {
        const plaintext = patternBytes(`constant-time plaintext ${i}`, length);
        const sealed = openssl.sealSync(keyOf(i), nonce, plaintext, aad);
        const [data, tag] = [sealed.slice(0, length), sealed.slice(length)];
        const opened = run('gcmOpen', keyOf(i), data, tag);
        expect([opened.status, Buffer.compare(opened.data, plaintext)]).toEqual([0, 0]);
        traces.right.add(opened.trace.join());
        const forged = tag.map((byte, at) => (at === i ? byte ^ (1 << (i % 8)) : byte));
        const refused = run('gcmOpen', keyOf(i), data, forged);
        expect([refused.status, Buffer.compare(refused.data, data)]).toEqual([1, 0]);
        traces.wrong.add(refused.trace.join());
        expect(Buffer.compare(opened.below, refused.below)).toBe(0);
      }
      expect([traces.right.size, traces.wrong.size]).toEqual([1, 1]);
    },
  );

  it('would tell a branch on a secret', () => {
    const traces = [0, 1].map((value) => {
      new Float32Array(exports.memory.buffer, dataAt, 16).fill(value);
      [count, hash] = [0, 0];
      exports.normalise(dataAt, 16);
      return [count, hash].join();
    });
    expect(traces[0]).not.toBe(traces[1]);
  });
});
