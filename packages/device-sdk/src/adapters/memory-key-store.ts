import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { secretCopy } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import { type DeviceKeyPair, generateDeviceKeyPair, rawPublicKey } from '../crypto/hpke.ts';
import type { KeyStore } from '../ports/key-store.ts';
import { openListKeys, storedListKeys } from '../trust/list-keys.ts';
import { webRandom } from './web-platform.ts';

/**
 * Creates a key store that ends with the process: for tests, demos, and devices that must forget everything at
 * power-off.
 */
export function createMemoryKeyStore(): KeyStore {
  const secrets = new Map<number, Uint8Array>();
  let pair: Promise<DeviceKeyPair> | null = null;
  const macKey = webRandom.bytes(32);
  let admissionKey: Uint8Array | null = null;

  const devicePair = (): Promise<DeviceKeyPair> => {
    pair ??= generateDeviceKeyPair(false);
    return pair;
  };

  const keep = async (generation: number, secret: Uint8Array) => {
    secrets.get(generation)?.fill(0);
    secrets.set(generation, secretCopy(secret));
  };

  return {
    devicePublicKey: async () => rawPublicKey(await devicePair()),
    hasDeviceKey: async () => pair !== null,
    deleteDeviceKey: async () => {
      pair = null;
    },
    openListKeys: async (sealed) => openListKeys(await pair, sealed, keep),
    mac: async (message) => hmac(sha256, macKey, message),
    listKeys: async (generation) => {
      const secret = secrets.get(generation);
      return secret === undefined ? null : storedListKeys(secretCopy(secret), keep);
    },
    deleteListKeys: async (generation) => {
      secrets.get(generation)?.fill(0);
      secrets.delete(generation);
    },
    listKeyGenerations: async () => [...secrets.keys()],
    deriveFromAdmissionKey: async (salt, info, length) => {
      admissionKey ??= secretCopy(webRandom.bytes(32));
      return hkdfSha256(admissionKey, salt, info, length);
    },
    hasAdmissionKey: async () => admissionKey !== null,
    deleteAdmissionKey: async () => {
      admissionKey?.fill(0);
      admissionKey = null;
    },
  };
}
