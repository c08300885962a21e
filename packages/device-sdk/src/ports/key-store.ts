import type { DeriveFromListKey } from '@svc/core/pack';

/**
 * A secret sealed to the device's key by HPKE (RFC 9180 base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM;
 * aad empty).
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
  /** 32 bytes; whoever holds the object wipes it. */
  readonly key: Uint8Array;
}

/**
 * The list keys of one generation, of all its epochs. They stay where they are: what is needed of them is derived
 * there.
 */
export interface ListKeys {
  readonly epochs: readonly number[];
  /** HKDF-SHA-256 of the key of an epoch; null where there is none. */
  keyOf(epoch: number): DeriveFromListKey | null;
  /**
   * Keeps them in their store for another generation too, also where they have been deleted there meanwhile. As
   * `KeyStore.putListKeys`.
   */
  keepAs(generation: number): Promise<void>;
  /** Wipes what of them lies in the program's memory; nothing can be derived afterwards. */
  wipe(): void;
}

/**
 * Where keys live: the platform's keychain or keystore. Every change is durable before its promise resolves and is all
 * or nothing. Rejections are storage failures, except where said. One device token, one key store.
 */
export interface KeyStore {
  /**
   * The device's P-256 public key, an uncompressed point of 65 bytes. The pair is made at the first call; its private
   * half never leaves.
   */
  devicePublicKey(): Promise<Uint8Array>;
  hasDeviceKey(): Promise<boolean>;
  /** Idempotent. The next {@link devicePublicKey} makes another pair. */
  deleteDeviceKey(): Promise<void>;
  /**
   * @returns the plaintext, which the caller wipes.
   * @throws FaceError `open-failed` when it does not open, or there is no device key
   */
  openSealed(sealed: SealedSecret): Promise<Uint8Array>;
  /**
   * HMAC-SHA-256 (32 bytes) under a key of this store alone, made at the first call and kept through every wipe: it
   * guards the clock, not faces.
   */
  mac(message: Uint8Array): Promise<Uint8Array>;
  /** Keeps copies of the list keys of a generation, all or none. Replaces. `generation`: a whole number from 1. */
  putListKeys(generation: number, keys: readonly EpochKey[]): Promise<void>;
  /** Null when there are none. The caller wipes them. */
  listKeys(generation: number): Promise<ListKeys | null>;
  /** Idempotent; overwrites what it can reach. */
  deleteListKeys(generation: number): Promise<void>;
  /** Those that have list keys, in no order. */
  listKeyGenerations(): Promise<readonly number[]>;
}
