import { beforeAll, describe, expect, it } from 'vitest';
import { aeads, codeOf, isSync } from '../testing/aeads.ts';
import { patternBytes } from '../testing/patterns.ts';
import type { Aead } from './aead.ts';

const key = patternBytes('contract key', 32);
const nonce = patternBytes('contract nonce', 12);
const aad = patternBytes('contract aad', 21);
const plaintext = patternBytes('contract plaintext', 300);

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const out = bytes.slice();
  out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return out;
}

describe.each(aeads)('%s', (name, create) => {
  let aead: Aead;
  beforeAll(async () => {
    aead = await create();
  });

  it('opens what it sealed and leaves its arguments as they were', async () => {
    const inputs = [key, nonce, plaintext, aad].map((bytes) => bytes.slice());
    const [k, n, p, a] = inputs as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    const sealed = await aead.seal(k, n, p, a);
    expect(sealed).toHaveLength(plaintext.length + 16);
    expect(await aead.open(k, n, sealed, a)).toEqual(plaintext);
    expect(inputs).toEqual([key, nonce, plaintext, aad]);
  });

  it('answers arrays of their own', async () => {
    const sealed = await aead.seal(key, nonce, plaintext, aad);
    const opened = await aead.open(key, nonce, sealed, aad);
    for (const result of [sealed, opened]) {
      expect(result.byteOffset).toBe(0);
      expect(result.buffer.byteLength).toBe(result.length);
    }
    opened.fill(0);
    expect(await aead.open(key, nonce, sealed, aad)).toEqual(plaintext);
  });

  it('takes views into larger buffers', async () => {
    const around = new Uint8Array(1000).fill(0xee);
    const view = (bytes: Uint8Array, at: number): Uint8Array => {
      around.set(bytes, at);
      return around.subarray(at, at + bytes.length);
    };
    const sealed = await aead.seal(view(key, 1), view(nonce, 51), view(plaintext, 101), view(aad, 501));
    expect(sealed).toEqual(await aead.seal(key, nonce, plaintext, aad));
  });

  it('refuses every flipped bit of ciphertext and tag', async () => {
    const sealed = await aead.seal(key, nonce, plaintext.subarray(0, 20), aad);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      expect(await codeOf(aead.open(key, nonce, flipped(sealed, bit), aad)), `bit ${bit}`).toBe('open-failed');
    }
  });

  it('refuses another key, nonce or aad', async () => {
    const sealed = await aead.seal(key, nonce, plaintext, aad);
    expect(await codeOf(aead.open(flipped(key, 255), nonce, sealed, aad))).toBe('open-failed');
    expect(await codeOf(aead.open(key, flipped(nonce, 95), sealed, aad))).toBe('open-failed');
    expect(await codeOf(aead.open(key, nonce, sealed, flipped(aad, 0)))).toBe('open-failed');
    expect(await codeOf(aead.open(key, nonce, sealed, aad.subarray(1)))).toBe('open-failed');
  });

  it('refuses truncated, shortened and lengthened ciphertexts', async () => {
    const sealed = await aead.seal(key, nonce, plaintext, aad);
    for (const length of [0, 1, 4, 8, 12, 15, 16, 17, sealed.length - 1]) {
      expect(await codeOf(aead.open(key, nonce, sealed.slice(0, length), aad)), `${length}`).toBe('open-failed');
    }
    const longer = new Uint8Array(sealed.length + 1);
    longer.set(sealed);
    expect(await codeOf(aead.open(key, nonce, longer, aad))).toBe('open-failed');
  });

  it('refuses keys and nonces of the wrong length', async () => {
    for (const length of [0, 16, 24, 31, 33]) {
      const wrong = new Uint8Array(length);
      expect(await codeOf(aead.seal(wrong, nonce, plaintext, aad))).toBe('invalid-argument');
      expect(await codeOf(aead.open(wrong, nonce, plaintext, aad))).toBe('invalid-argument');
    }
    for (const length of [0, 8, 11, 13, 16]) {
      const wrong = new Uint8Array(length);
      expect(await codeOf(aead.seal(key, wrong, plaintext, aad))).toBe('invalid-argument');
      expect(await codeOf(aead.open(key, wrong, plaintext, aad))).toBe('invalid-argument');
    }
  });

  it('does many at once', async () => {
    const messages = Array.from({ length: 50 }, (_, i) => patternBytes(`message ${i}`, i * 37));
    const sealed = await Promise.all(messages.map((message) => aead.seal(key, nonce, message, aad)));
    const opened = await Promise.all(sealed.map((bytes) => aead.open(key, nonce, bytes, aad)));
    expect(opened).toEqual(messages);
  });

  it('gives the same answers at once, where it can', async () => {
    if (!isSync(aead)) {
      expect(name).toBe('webcrypto');
      return;
    }
    const { openSync } = aead;
    const sealed = aead.sealSync(key, nonce, plaintext, aad);
    expect(sealed).toEqual(await aead.seal(key, nonce, plaintext, aad));
    expect(openSync(key, nonce, sealed, aad)).toEqual(plaintext);
    expect(() => openSync(key, nonce, flipped(sealed, 0), aad)).toThrow(
      expect.objectContaining({ code: 'open-failed' }),
    );
  });
});
