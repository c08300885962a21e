import { createHmac, createPrivateKey, createPublicKey, randomFillSync } from 'node:crypto';
import { FaceError } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import type { KeyStore } from '@svc/device-sdk';
import {
  type DeviceKeyPair,
  exportPrivateKey,
  generateDeviceKeyPair,
  importDeviceKeyPair,
  openListKeys,
  rawPublicKey,
  storedListKeys,
} from '@svc/device-sdk/adapters';

const DEVICE_KEY = 'device-key.pkcs8';
const MAC_KEY = 'mac.key';
const ADMISSION_KEY = 'admissions.key';

/** Storage of small secrets by name. Each change is atomic, and durable once it resolves. */
export interface SecretPlace {
  /** Owned by the caller; null if there is none. */
  read(name: string): Promise<Uint8Array | null>;
  /** Replaces an earlier secret. Keeps a copy. */
  write(name: string, secret: Uint8Array): Promise<void>;
  /** Idempotent. */
  delete(name: string): Promise<void>;
  /** In any order. */
  names(): Promise<readonly string[]>;
}

/** A key store over two places: `own` for the device's keys, `secrets` for list keys. */
export function createStoredKeyStore(own: SecretPlace, secrets: SecretPlace): KeyStore {
  const pair = cached(async () => (await loadPair(own)) ?? makePair(own));
  const macKey = cached(() => loadOrMakeKey(own, MAC_KEY));
  const admissionKey = cached(() => loadOrMakeKey(own, ADMISSION_KEY));

  const keep = (generation: number, secret: Uint8Array) => secrets.write(listKeysName(generation), secret);

  return {
    devicePublicKey: async () => rawPublicKey(await pair.get()),
    hasDeviceKey: async () => (await own.names()).includes(DEVICE_KEY),
    deleteDeviceKey: async () => {
      void pair.take();
      await own.delete(DEVICE_KEY);
    },
    openListKeys: async (sealed) => openListKeys(await (pair.held() ?? loadPair(own)), sealed, keep),
    mac: async (message) =>
      createHmac('sha256', await macKey.get())
        .update(message)
        .digest(),
    listKeys: async (generation) => {
      const secret = await secrets.read(listKeysName(generation));
      return secret === null ? null : storedListKeys(secret, keep);
    },
    deleteListKeys: (generation) => secrets.delete(listKeysName(generation)),
    listKeyGenerations: async () =>
      (await secrets.names()).flatMap((name) => {
        const number = /^list-keys\.([1-9][0-9]{0,15})$/.exec(name)?.[1];
        return number === undefined ? [] : [Number(number)];
      }),
    deriveFromAdmissionKey: async (salt, info, length) => hkdfSha256(await admissionKey.get(), salt, info, length),
    hasAdmissionKey: async () => (await own.names()).includes(ADMISSION_KEY),
    deleteAdmissionKey: async () => {
      const loaded = admissionKey.take();
      await own.delete(ADMISSION_KEY);
      (await loaded?.catch(() => null))?.fill(0);
    },
  };
}

/** What is loaded once; a failure is not kept. */
function cached<T>(load: () => Promise<T>) {
  let value: Promise<T> | null = null;
  return {
    held: () => value,
    get(): Promise<T> {
      value ??= load();
      value.catch(() => {
        value = null;
      });
      return value;
    },
    take(): Promise<T> | null {
      const taken = value;
      value = null;
      return taken;
    },
  };
}

const listKeysName = (generation: number): string => `list-keys.${generation}`;

async function loadPair(folder: SecretPlace): Promise<DeviceKeyPair | null> {
  const pkcs8 = await folder.read(DEVICE_KEY);
  if (pkcs8 === null) return null;
  try {
    return await importDeviceKeyPair(pkcs8, publicPointOf(pkcs8));
  } catch (cause) {
    throw new FaceError('storage-failed', 'what is kept as the device key is none', { cause });
  } finally {
    pkcs8.fill(0);
  }
}

async function makePair(folder: SecretPlace): Promise<DeviceKeyPair> {
  const made = await generateDeviceKeyPair(true);
  const pkcs8 = await exportPrivateKey(made);
  try {
    await folder.write(DEVICE_KEY, pkcs8);
    return await importDeviceKeyPair(pkcs8, await rawPublicKey(made));
  } finally {
    pkcs8.fill(0);
  }
}

/** The uncompressed point of SEC 1, section 2.3.3. */
function publicPointOf(pkcs8: Uint8Array): Uint8Array {
  // A view: a copy would lie in Node's shared Buffer pool and never be wiped.
  const bytes = Buffer.from(pkcs8.buffer, pkcs8.byteOffset, pkcs8.byteLength);
  const key = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Uint8Array.from([4, ...Buffer.from(x, 'base64url'), ...Buffer.from(y, 'base64url')]);
}

async function loadOrMakeKey(folder: SecretPlace, name: string): Promise<Uint8Array> {
  const kept = await folder.read(name);
  if (kept !== null && kept.length === 32) return kept;
  const made = randomFillSync(new Uint8Array(32));
  await folder.write(name, made);
  return made;
}
