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

/** The list keys of one answer, one for each epoch, and its check-in secret if it has one. */
export interface SealedListKeys {
  /** Epochs: integers from 1, each once. */
  readonly epochs: readonly { readonly epoch: number; readonly sealed: SealedSecret }[];
  readonly checkInSecret: SealedSecret | null;
}

/**
 * List keys, one for each epoch, and a check-in secret if there is one. They never leave the store; callers only get
 * values derived from them.
 */
export interface ListKeys {
  readonly epochs: readonly number[];
  /** HKDF-SHA-256 of an epoch's key; null if the generation has no key for the epoch. */
  keyOf(epoch: number): DeriveFromListKey | null;
  /** HMAC-SHA-256 (32 bytes) under the check-in secret; null if the generation has none. */
  signCheckIn(message: Uint8Array): Promise<Uint8Array | null>;
  /**
   * Stores these keys and this secret under `generation`, an integer from 1, in place of the ones there, even if the
   * entry that they came from has been deleted. Atomic. Rejects after {@link wipe}.
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
   * Opens list keys and check-in secret inside the store, without storing them: {@link ListKeys.keepAs} does. The
   * caller wipes the result.
   * @throws FaceError `open-failed` if one of them does not open or has not 32 bytes, or there is no device key
   */
  openListKeys(sealed: SealedListKeys): Promise<ListKeys>;
  /**
   * HMAC-SHA-256 (32 bytes) under a key that only this store holds, created at the first call. The key survives data
   * wipes: it protects the stored clock value, not face data.
   */
  mac(message: Uint8Array): Promise<Uint8Array>;
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
