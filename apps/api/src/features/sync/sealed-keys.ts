import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { LRUCache } from 'lru-cache';
import type { StoredListKey } from '../../crypto/key-ring.ts';

/** HPKE (RFC 9180) with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, which device keystores support. */
export const listKeySuite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** A secret of 32 bytes that only one device can open, as its manifest has it. */
interface SealedSecret {
  /** Encapsulated key of 65 bytes. */
  readonly enc: string;
  /** The secret and its tag. */
  readonly ciphertext: string;
}

const encode = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url');

interface Kept {
  readonly wrapped: Uint8Array;
  readonly sealed: SealedSecret;
}

/** Above the devices that one node can answer, as each comes once in five minutes; about 700 bytes each. */
const MAX_KEPT = 200_000;

/** Seals secrets to devices and caches the results, each as long as the stored secret stays as it is. */
export class SealedSecrets {
  readonly #kept: LRUCache<string, Kept>;

  constructor(limit = MAX_KEPT) {
    this.#kept = new LRUCache({ max: limit });
  }

  /**
   * Seals in base mode, without associated data.
   * @param deviceKey uncompressed P-256 point, checked to be on the curve
   * @param purpose binds the secret to list and device
   * @param stored as it is stored now; what it unwraps, 32 bytes, is wiped here
   */
  async seal(deviceKey: Buffer, purpose: Uint8Array, { wrapped, unwrap }: StoredListKey): Promise<SealedSecret> {
    const name = `${Buffer.from(purpose).toString('base64')} ${deviceKey.toString('base64')}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && Buffer.compare(kept.wrapped, wrapped) === 0) return kept.sealed;
    const recipientPublicKey = await listKeySuite.kem.deserializePublicKey(Uint8Array.from(deviceKey).buffer);
    const secret = await unwrap();
    const plaintext = Uint8Array.from(secret);
    try {
      const recipient = { recipientPublicKey, info: Uint8Array.from(purpose).buffer };
      const { enc, ct } = await listKeySuite.seal(recipient, plaintext.buffer);
      const sealed = { enc: encode(enc), ciphertext: encode(ct) };
      this.#kept.set(name, { wrapped, sealed });
      return sealed;
    } finally {
      plaintext.fill(0);
      secret.fill(0);
    }
  }

  clear(): void {
    this.#kept.clear();
  }
}
