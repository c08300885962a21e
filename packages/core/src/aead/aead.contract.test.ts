import { beforeAll, describe, expect, it } from 'vitest';
import { aeads, flipped } from '../testing/aeads.ts';
import { patternBytes } from '../testing/patterns.ts';
import type { SyncAead } from './aead.ts';

const key = patternBytes('contract key', 32);
const nonce = patternBytes('contract nonce', 12);
const aad = patternBytes('contract aad', 21);
const plaintext = patternBytes('contract plaintext', 300);
const openFailed = expect.objectContaining({ code: 'open-failed' });
const invalid = expect.objectContaining({ code: 'invalid-argument' });

describe.each(aeads)('%s', (_name, create) => {
  let aead: SyncAead;
  let sealed: Uint8Array;
  beforeAll(async () => {
    aead = await create();
    sealed = aead.sealSync(key, nonce, plaintext, aad);
  });

  it('opens what it sealed, also views into larger buffers, and leaves its arguments as they were', async () => {
    const around = new Uint8Array(1000).fill(0xee);
    const view = (bytes: Uint8Array, at: number): Uint8Array => {
      around.set(bytes, at);
      return around.subarray(at, at + bytes.length);
    };
    const [k, n, p, a] = [view(key, 1), view(nonce, 51), view(plaintext, 101), view(aad, 501)];
    const before = around.slice();
    expect(sealed).toHaveLength(plaintext.length + 16);
    expect(await aead.seal(k, n, p, a)).toEqual(sealed);
    expect(await aead.open(k, n, sealed, a)).toEqual(plaintext);
    expect(around).toEqual(before);
  });

  it('answers arrays of their own', () => {
    const opened = aead.openSync(key, nonce, sealed, aad);
    for (const result of [sealed, opened]) {
      expect(result.byteOffset).toBe(0);
      expect(result.buffer.byteLength).toBe(result.length);
    }
    opened.fill(0);
    expect(aead.openSync(key, nonce, sealed, aad)).toEqual(plaintext);
  });

  it('refuses every flipped bit of ciphertext and tag', () => {
    const short = aead.sealSync(key, nonce, plaintext.subarray(0, 20), aad);
    for (let bit = 0; bit < short.length * 8; bit++) {
      expect(() => aead.openSync(key, nonce, flipped(short, bit), aad), `bit ${bit}`).toThrow(openFailed);
    }
  });

  it('refuses another key, nonce or aad, and other lengths', async () => {
    for (const [k, n, c, a] of [
      [flipped(key, 255), nonce, sealed, aad],
      [key, flipped(nonce, 95), sealed, aad],
      [key, nonce, sealed, flipped(aad, 0)],
      [key, nonce, sealed, aad.subarray(1)],
      [key, nonce, Uint8Array.from([...sealed, 0]), aad],
      ...[0, 1, 15, 16, 17, sealed.length - 1].map((length) => [key, nonce, sealed.slice(0, length), aad] as const),
    ] as const) {
      await expect(aead.open(k, n, c, a)).rejects.toThrow(openFailed);
    }
  });

  it('refuses keys and nonces of the wrong length', () => {
    for (const length of [0, 8, 11, 13, 16, 24, 31, 33]) {
      const wrong = new Uint8Array(length);
      for (const [k, n] of [
        [wrong, nonce],
        [key, wrong],
      ] as const) {
        expect(() => aead.sealSync(k, n, plaintext, aad)).toThrow(invalid);
        expect(() => aead.openSync(k, n, sealed, aad)).toThrow(invalid);
      }
    }
  });
});
