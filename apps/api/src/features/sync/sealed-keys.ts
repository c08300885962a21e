import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { checkInSecretSealInfo, listKeySealInfo } from '@svc/core/pack';
import { LRUCache } from 'lru-cache';
import type { KeyRing } from '../../crypto/key-ring.ts';

/** HPKE (RFC 9180) with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, which device keystores support. */
export const listKeySuite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** A secret of 32 bytes that only one device can open. */
interface SealedSecret {
  /** Encapsulated key, 65 bytes. */
  readonly enc: Uint8Array;
  /** 48 bytes: the secret and its tag. */
  readonly ciphertext: Uint8Array;
}

/**
 * Seals a list key in base mode; info binds list, device and epoch; no associated data.
 * @param devicePublicKey uncompressed P-256 point, checked to be on the curve
 * @param listKey 32 bytes, not wiped here
 */
export function sealListKey(
  devicePublicKey: Uint8Array,
  context: { readonly listId: string; readonly deviceId: string; readonly epoch: number },
  listKey: Uint8Array,
): Promise<SealedSecret> {
  return sealSecret(devicePublicKey, listKeySealInfo(context), listKey);
}

async function sealSecret(devicePublicKey: Uint8Array, purpose: Uint8Array, secret: Uint8Array): Promise<SealedSecret> {
  const recipientPublicKey = await listKeySuite.kem.deserializePublicKey(Uint8Array.from(devicePublicKey).buffer);
  const info = Uint8Array.from(purpose).buffer;
  const plaintext = Uint8Array.from(secret);
  try {
    const { enc, ct } = await listKeySuite.seal({ recipientPublicKey, info }, plaintext.buffer);
    return { enc: new Uint8Array(enc), ciphertext: new Uint8Array(ct) };
  } finally {
    plaintext.fill(0);
  }
}

/** The key to seal and the device to seal it to. */
export interface SealingContext {
  readonly listId: string;
  readonly deviceId: string;
  readonly epoch: number;
}

interface Kept {
  readonly wrapped: Uint8Array;
  readonly sealed: SealedSecret;
}

/** Above the devices that one node can answer, as each comes once in five minutes; about 700 bytes each. */
const MAX_KEPT = 200_000;

/**
 * Seals list keys to devices and caches the results by key. The key store is asked every time, so that a destroyed key
 * is no longer served, whichever node destroyed it.
 */
export class SealedKeys {
  readonly #keyRing: Pick<KeyRing, 'findListKey'>;
  readonly #kept: LRUCache<string, Kept>;

  constructor(keyRing: Pick<KeyRing, 'findListKey'>, limit = MAX_KEPT) {
    this.#keyRing = keyRing;
    this.#kept = new LRUCache({ max: limit });
  }

  /**
   * @param deviceKey uncompressed P-256 point, checked to be on the curve
   * @throws KeyShreddedError when the list's key was destroyed
   */
  async seal(deviceKey: Buffer, context: SealingContext): Promise<SealedSecret> {
    const { listId, deviceId, epoch } = context;
    const stored = await this.#keyRing.findListKey(listId, epoch);
    const name = `${listId} ${deviceId} ${epoch} ${deviceKey.toString('base64')}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && Buffer.compare(kept.wrapped, stored.wrapped) === 0) return kept.sealed;
    const listKey = await stored.unwrap();
    try {
      const sealed = await sealListKey(deviceKey, context, listKey);
      this.#kept.set(name, { wrapped: stored.wrapped, sealed });
      return sealed;
    } finally {
      listKey.fill(0);
    }
  }

  clear(): void {
    this.#kept.clear();
  }
}

/** The list whose check-ins a secret signs, and the device to seal it to. */
export interface CheckInContext {
  readonly accountId: string;
  readonly listId: string;
  readonly deviceId: string;
}

/**
 * Seals the secrets that sign check-ins to devices and caches the results by the secret as the database holds it now.
 * The key store is not asked for a cached one: a list whose keys are destroyed is not served at all.
 */
export class SealedCheckInSecrets {
  readonly #open: (list: CheckInContext, sealed: Buffer) => Promise<Uint8Array>;
  readonly #kept: LRUCache<string, Kept>;

  /** @param open opens a secret, which is wiped here */
  constructor(open: (list: CheckInContext, sealed: Buffer) => Promise<Uint8Array>, limit = MAX_KEPT) {
    this.#open = open;
    this.#kept = new LRUCache({ max: limit });
  }

  /** @param deviceKey uncompressed P-256 point, checked to be on the curve */
  async seal(deviceKey: Buffer, context: CheckInContext, wrapped: Buffer): Promise<SealedSecret> {
    const { listId, deviceId } = context;
    const name = `${listId} ${deviceId} ${deviceKey.toString('base64')}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && Buffer.compare(kept.wrapped, wrapped) === 0) return kept.sealed;
    const secret = await this.#open(context, wrapped);
    try {
      const sealed = await sealSecret(deviceKey, checkInSecretSealInfo({ listId, deviceId }), secret);
      this.#kept.set(name, { wrapped, sealed });
      return sealed;
    } finally {
      secret.fill(0);
    }
  }

  clear(): void {
    this.#kept.clear();
  }
}
