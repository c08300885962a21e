import { FaceError } from '../errors.ts';

/**
 * AES-256-GCM (NIST SP 800-38D): 32-byte key, 12-byte nonce, 16-byte tag appended to the ciphertext. Use a nonce once
 * per key. Arguments are only read; the caller owns and wipes results.
 */
export interface Aead {
  /** Name of the implementation, for diagnostics: 'wasm', 'noble'. */
  readonly name: string;
  /** @throws FaceError `invalid-argument` for a key or nonce of the wrong length */
  seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Promise<Uint8Array>;
  /**
   * Releases no plaintext unless the tag is right.
   * @throws FaceError `open-failed` if the ciphertext is not authentic, `invalid-argument` as `seal`
   */
  open(key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, aad: Uint8Array): Promise<Uint8Array>;
}

/** An Aead with synchronous methods. */
export interface SyncAead extends Aead {
  sealSync(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array;
  openSync(key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, aad: Uint8Array): Uint8Array;
}

export const keyBytes = 32;
export const nonceBytes = 12;
export const tagBytes = 16;

function assertKeyAndNonce(key: Uint8Array, nonce: Uint8Array): void {
  if (key.length !== keyBytes || nonce.length !== nonceBytes) {
    throw new FaceError('invalid-argument', 'AES-256-GCM takes a 32-byte key and a 12-byte nonce');
  }
}

function openFailed(): FaceError {
  return new FaceError('open-failed', 'the ciphertext is not authentic');
}

/** Creates an Aead from two synchronous functions: checks the arguments and maps errors of `open` to `open-failed`. */
export function syncAead(
  name: string,
  seal: SyncAead['sealSync'],
  open: (...args: Parameters<SyncAead['openSync']>) => Uint8Array | null,
): SyncAead {
  const sealSync: SyncAead['sealSync'] = (key, nonce, plaintext, aad) => {
    assertKeyAndNonce(key, nonce);
    return seal(key, nonce, plaintext, aad);
  };
  const openSync: SyncAead['openSync'] = (key, nonce, ciphertext, aad) => {
    assertKeyAndNonce(key, nonce);
    if (ciphertext.length < tagBytes) throw openFailed();
    const plaintext = open(key, nonce, ciphertext, aad);
    if (plaintext === null) throw openFailed();
    return plaintext;
  };
  return {
    name,
    sealSync,
    openSync,
    seal: async (...args) => sealSync(...args),
    open: async (...args) => openSync(...args),
  };
}
