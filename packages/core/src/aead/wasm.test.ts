import { describe, expect, it } from 'vitest';
import { loadCore } from '../index.ts';
import { kernelOf } from '../kernel.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createWasmAead } from './wasm.ts';

/** True if the bytes occur anywhere in wasm memory. */
function isInMemory(memory: ArrayBuffer, bytes: Uint8Array): boolean {
  return Buffer.from(memory).includes(Buffer.from(bytes));
}

describe('what the wasm adapter leaves behind', () => {
  const key = patternBytes('residue key', 32);
  const nonce = patternBytes('residue nonce', 12);
  const aad = new Uint8Array();

  it.each([16, 5000])('is no trace of key, plaintext or ciphertext of %i bytes', async (length) => {
    const core = await loadCore();
    const kernel = kernelOf(core);
    if (kernel === undefined) throw new Error('no kernel');
    const aead = createWasmAead(core);
    const plaintext = patternBytes('residue plaintext', length);
    const sealed = aead.sealSync(key, nonce, plaintext, aad);
    aead.openSync(key, nonce, sealed, aad);
    sealed[0] = (sealed[0] ?? 0) ^ 1;
    expect(() => aead.openSync(key, nonce, sealed, aad)).toThrow();
    expect(() => aead.openSync(key.subarray(1), nonce, sealed, aad)).toThrow();
    const { buffer } = kernel.exports.memory;
    for (const secret of [key, key.subarray(16), plaintext.subarray(0, 16), sealed.subarray(-16)]) {
      expect(isInMemory(buffer, secret)).toBe(false);
    }
    expect(kernel.heap.usedBytes).toBe(0);
  });

  it('is found where it is: the search itself works', async () => {
    const kernel = kernelOf(await loadCore());
    if (kernel === undefined) throw new Error('no kernel');
    const at = kernel.heap.allocate(32);
    kernel.heap.bytes(at, 32).set(key);
    expect(isInMemory(kernel.exports.memory.buffer, key)).toBe(true);
    kernel.heap.free(at);
    expect(isInMemory(kernel.exports.memory.buffer, key)).toBe(false);
  });

  it('refuses an object that is not a core', async () => {
    const fake = { ...(await loadCore()) };
    expect(() => createWasmAead(fake)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});
