import { FaceError } from '../errors.ts';
import { type Kernel, kernelOf } from '../kernel.ts';
import type { FaceCore } from '../load-core.ts';
import { keyBytes, type SyncAead, syncAead, tagBytes } from './aead.ts';

// The kernel works on batches of eight blocks and may write this far past the end of a message.
const overrunBytes = 128;
const maxBytes = 1 << 30;

const nonceStart = keyBytes;
const tagStart = nonceStart + 16;
const aadStart = tagStart + tagBytes;

interface Message {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly aad: Uint8Array;
  readonly data: Uint8Array;
}

/** Copies a message into wasm memory, runs `work`, and always wipes the message. */
function withMessage<T>(
  kernel: Kernel,
  { key, nonce, aad, data }: Message,
  work: (at: number, dataAt: number) => T,
): T {
  if (aad.length + data.length > maxBytes) throw new FaceError('invalid-argument', 'the message is too long');
  const { heap } = kernel;
  const dataStart = aadStart + Math.ceil(aad.length / 16) * 16;
  const size = dataStart + data.length + overrunBytes;
  return heap.borrow(size, (at) => {
    const bytes = heap.bytes(at, size);
    bytes.set(key);
    bytes.set(nonce, nonceStart);
    bytes.set(aad, aadStart);
    bytes.set(data, dataStart);
    return work(at, at + dataStart);
  });
}

/**
 * The core's own AES-256-GCM: constant-time by construction (docs/internals/core.md), bit-identical wherever there is
 * WebAssembly SIMD. Keys, plaintext and work space in wasm memory are wiped before a call returns.
 * @throws FaceError `invalid-argument` if `core` is not from `loadCore`
 */
export function createWasmAead(core: FaceCore): SyncAead {
  const kernel = kernelOf(core);
  if (kernel === undefined) throw new FaceError('invalid-argument', 'core must come from loadCore');
  const { exports, heap } = kernel;
  return syncAead(
    'wasm',
    (key, nonce, plaintext, aad) =>
      withMessage(kernel, { key, nonce, aad, data: plaintext }, (at, dataAt) => {
        // The tag follows the ciphertext, so one copy makes the result.
        const tagAt = dataAt + plaintext.length;
        exports.gcmSeal(at, at + nonceStart, at + aadStart, aad.length, dataAt, plaintext.length, tagAt);
        return heap.bytes(dataAt, plaintext.length + tagBytes).slice();
      }),
    (key, nonce, ciphertext, aad) => {
      const length = ciphertext.length - tagBytes;
      const message = { key, nonce, aad, data: ciphertext.subarray(0, length) };
      return withMessage(kernel, message, (at, dataAt) => {
        heap.bytes(at + tagStart, tagBytes).set(ciphertext.subarray(length));
        const [aadAt, tagAt] = [at + aadStart, at + tagStart];
        const status = exports.gcmOpen(at, at + nonceStart, aadAt, aad.length, dataAt, length, tagAt);
        return status === 0 ? heap.bytes(dataAt, length).slice() : null;
      });
    },
  );
}
