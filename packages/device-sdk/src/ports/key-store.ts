import type { DeriveFromListKey } from '@svc/core/pack';

/**
 * A secret sealed to the device's key by HPKE (RFC 9180 base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM;
 * empty aad).
 */
export interface SealedSecret {
  /** The encapsulated key: an uncompressed P-256 point, 65 bytes. */
  readonly enc: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly info: Uint8Array;
}

/** The key of one epoch of a list. */
export interface EpochKey {
  readonly epoch: number;
  /** 32 bytes; wiped by the owner of the object. */
  readonly key: Uint8Array;
}

/**
 * The list keys of one generation, one for each epoch, and its check-in secret if it has one. They never leave the
 * store; callers only get values derived from them.
 */
export interface ListKeys {
  readonly epochs: readonly number[];
  /** HKDF-SHA-256 of an epoch's key; null if the generation has no key for the epoch. */
  keyOf(epoch: number): DeriveFromListKey | null;
  /** HMAC-SHA-256 (32 bytes) under the check-in secret; null if the generation has none. */
  signCheckIn(message: Uint8Array): Promise<Uint8Array | null>;
  /**
   * Stores the same keys and secret under `generation` too, even if the original entry has been deleted. Atomic, like {@link
   * KeyStore.putListKeys}.
   */
  keepAs(generation: number): Promise<void>;
  /** Wipes the copies in memory; nothing can be derived or signed afterwards. What is stored stays. */
  wipe(): void;
}

/**
 * Port to the platform's keychain or keystore. Each device token has its own store. Every change is atomic, and durable
 * once its promise resolves. A rejection means `storage-failed`, unless the method documents another code.
 *
 * An epoch is one list key of a list. A generation is one stored state of the device: a pack and the keys of its
 * epochs.
 */
export interface KeyStore {
  /**
   * The device's P-256 public key: an uncompressed point, 65 bytes. The pair is created at the first call; the private
   * key never leaves the store.
   */
  devicePublicKey(): Promise<Uint8Array>;
  hasDeviceKey(): Promise<boolean>;
  /** Idempotent. The next {@link devicePublicKey} creates another pair. */
  deleteDeviceKey(): Promise<void>;
  /**
   * @returns the plaintext, which the caller wipes
   * @throws FaceError `open-failed` if it does not open, or there is no device key
   */
  openSealed(sealed: SealedSecret): Promise<Uint8Array>;
  /**
   * HMAC-SHA-256 (32 bytes) under a key that only this store holds, created at the first call. The key survives data
   * wipes: it protects the stored clock value, not face data.
   */
  mac(message: Uint8Array): Promise<Uint8Array>;
  /**
   * Stores copies of all list keys of a generation, replacing earlier ones and the earlier check-in secret.
   * @param generation an integer from 1
   * @param checkInSecret 32 bytes, usable for {@link ListKeys.signCheckIn} alone; without it the generation has none
   */
  putListKeys(generation: number, keys: readonly EpochKey[], checkInSecret?: Uint8Array | null): Promise<void>;
  /** Null if there are none. The caller wipes the result. */
  listKeys(generation: number): Promise<ListKeys | null>;
  /** With the check-in secret. Idempotent; overwrites the stored bytes where the platform allows it. */
  deleteListKeys(generation: number): Promise<void>;
  /** Generations that have list keys, in any order. */
  listKeyGenerations(): Promise<readonly number[]>;
  /**
   * HKDF-SHA-256 of the key that seals the log of admissions, 32 random bytes that are created at the first call and
   * never leave the store.
   */
  deriveFromAdmissionKey: DeriveFromListKey;
  hasAdmissionKey(): Promise<boolean>;
  /** Idempotent; overwrites the stored bytes where the platform allows it. The next derivation creates another key. */
  deleteAdmissionKey(): Promise<void>;
}
