/** A secret sealed to the device's key by HPKE (RFC 9180 base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM; aad empty). */
export interface SealedSecret {
  /** The encapsulated key: an uncompressed P-256 point, 65 bytes. */
  readonly enc: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly info: Uint8Array;
}

/**
 * Where secrets live: the platform's keychain or keystore. Every change is durable before its promise resolves and is all or nothing.
 * Rejections are storage failures, except where said. One device token, one key store.
 */
export interface KeyStore {
  /** The device's P-256 public key, an uncompressed point of 65 bytes. The pair is made at the first call; its private half never leaves. */
  devicePublicKey(): Promise<Uint8Array>;
  hasDeviceKey(): Promise<boolean>;
  /** Idempotent. The next {@link devicePublicKey} makes another pair. */
  deleteDeviceKey(): Promise<void>;
  /** @returns the plaintext, which the caller wipes. @throws FaceError `open-failed` when it does not open, or there is no device key */
  openSealed(sealed: SealedSecret): Promise<Uint8Array>;
  /** HMAC-SHA-256 (32 bytes) under a key of this store alone, made at the first call and kept through every wipe: it guards the clock, not faces. */
  mac(message: Uint8Array): Promise<Uint8Array>;
  /** Keeps a copy. `name`: 1 to 64 of a–z, 0–9, `-` and `.`, beginning with a letter. Replaces. */
  putSecret(name: string, secret: Uint8Array): Promise<void>;
  /** A copy, which the caller wipes; null when there is none. */
  getSecret(name: string): Promise<Uint8Array | null>;
  /** Idempotent; overwrites what it can reach. */
  deleteSecret(name: string): Promise<void>;
  /** In no order; the device key and the MAC key are not among them. */
  secretNames(): Promise<readonly string[]>;
}

/** What {@link KeyStore.putSecret} takes as a name. */
export function isSecretName(name: string): boolean {
  return /^[a-z][a-z0-9.-]{0,63}$/.test(name);
}
