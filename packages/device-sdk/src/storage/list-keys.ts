import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError, secretBytes } from '@svc/core';
import { type DeriveFromListKey, hkdfSha256 } from '@svc/core/pack';
import { arrivalsKeyInfo } from '@svc/protocol/sync';
import { sameBytes } from '../platform/bytes.ts';
import { type DeviceKeyPair, openSealedSecret, SECRET_BYTES } from './hpke.ts';
import type { ListKeys, SealedListKeys } from './key-store.ts';

const EPOCH_BYTES = 4;
const ENTRY_BYTES = EPOCH_BYTES + SECRET_BYTES;
/** In the place of an epoch, which counts from 1. */
const CHECK_IN_SECRET = 0;
/** As if it were the key of an epoch that no list reaches: stores keep it and derive from it like from those. */
export const ARRIVALS_SECRET = 0xffff_ffff;
export const ADMISSION_KEY = 0xffff_fffe;

type Keep = (generation: number, secret: Uint8Array) => Promise<void>;

/**
 * Opens list keys for stores of byte strings: the keys of all epochs and the check-in secret become one secret, so that
 * they cannot be mixed with another answer's.
 * @param pair null if there is none
 * @param keep stores a copy of the secret for a generation
 * @throws FaceError `open-failed`
 */
export async function openListKeys(
  pair: DeviceKeyPair | null,
  { epochs, checkInSecret }: SealedListKeys,
  keep: Keep,
): Promise<ListKeys> {
  if (pair === null) throw new FaceError('open-failed', 'there is no device key');
  const entries = checkInSecret === null ? epochs : [...epochs, { epoch: CHECK_IN_SECRET, sealed: checkInSecret }];
  const secret = secretBytes(entries.length * ENTRY_BYTES);
  try {
    for (const [i, { epoch, sealed }] of entries.entries()) {
      const key = await openSealedSecret(pair, sealed);
      new DataView(secret.buffer).setUint32(i * ENTRY_BYTES, epoch);
      secret.set(key, i * ENTRY_BYTES + EPOCH_BYTES);
      key.fill(0);
    }
  } catch (error) {
    secret.fill(0);
    throw error;
  }
  return storedListKeys(secret, keep);
}

/**
 * List keys for stores of byte strings.
 * @param secret as given to `keep`; owned and wiped by the result
 * @param keep stores a copy of the secret for a generation
 */
export function storedListKeys(secret: Uint8Array, keep: Keep): ListKeys {
  const count = Math.floor(secret.length / ENTRY_BYTES);
  const view = new DataView(secret.buffer, secret.byteOffset, secret.byteLength);
  const entries = Array.from({ length: count }, (_, i) => view.getUint32(i * ENTRY_BYTES));
  let wiped = false;
  const requireHeld = () => {
    if (wiped) throw new FaceError('storage-failed', 'the list keys were wiped');
  };
  const entry = (epoch: number): Uint8Array | null => {
    requireHeld();
    const at = entries.indexOf(epoch) * ENTRY_BYTES;
    return at < 0 ? null : secret.subarray(at + EPOCH_BYTES, at + ENTRY_BYTES);
  };
  return {
    epochs: entries.filter((epoch) => epoch !== CHECK_IN_SECRET),
    keyOf(epoch) {
      if (epoch === CHECK_IN_SECRET || !entries.includes(epoch)) return null;
      return async (salt, info, length) => hkdfSha256(entry(epoch) ?? new Uint8Array(), salt, info, length);
    },
    async signCheckIn(message) {
      const key = entry(CHECK_IN_SECRET);
      return key === null ? null : hmac(sha256, key, message);
    },
    async keepAs(generation) {
      requireHeld();
      await keep(generation, secret);
    },
    wipe() {
      wiped = true;
      secret.fill(0);
    },
  };
}

const PROBE = new TextEncoder().encode('svc/check-in-secret/v1');

/** HMAC-SHA-256 (32 bytes) under the key that is derived from a secret; null if there is none. */
export async function signBy(keys: ListKeys, secret: number, info: Uint8Array, message: Uint8Array) {
  const key = await keys.keyOf(secret)?.(new Uint8Array(), info, SECRET_BYTES);
  if (key === undefined) return null;
  try {
    return hmac(sha256, key, message);
  } finally {
    key.fill(0);
  }
}

export const signArrivals = (keys: ListKeys, message: Uint8Array): Promise<Uint8Array | null> =>
  signBy(keys, ARRIVALS_SECRET, arrivalsKeyInfo(), message);

/** Whether both have keys of the same epochs, and sign check-ins and arrivals with the same secrets, or not at all. */
export async function sameSecrets(one: ListKeys, other: ListKeys): Promise<boolean> {
  if ([...one.epochs].sort().join() !== [...other.epochs].sort().join()) return false;
  const probed = (keys: ListKeys) => Promise.all([keys.signCheckIn(PROBE), signArrivals(keys, PROBE)]);
  const [ofOne, ofOther] = await Promise.all([probed(one), probed(other)]);
  return ofOne.every((first, i) => {
    const second = ofOther[i] ?? null;
    return first === null || second === null ? first === second : sameBytes(first, second);
  });
}

/**
 * Opens something with a key that lies in a store. An error of the store is its own: the core calls every failure
 * `open-failed`.
 */
export async function openWith<T>(
  derive: DeriveFromListKey,
  open: (listKey: DeriveFromListKey) => Promise<T>,
): Promise<T> {
  let failure: { readonly cause: unknown } | null = null;
  const watched: DeriveFromListKey = (...what) =>
    derive(...what).catch((cause: unknown) => {
      failure = { cause };
      throw cause;
    });
  try {
    return await open(watched);
  } catch (error) {
    throw failure === null ? error : (failure as { readonly cause: unknown }).cause;
  }
}
