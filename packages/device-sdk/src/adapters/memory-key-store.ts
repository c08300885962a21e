import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError, secretCopy } from '@svc/core';
import { type DeviceKeyPair, generateDeviceKeyPair, openSealedSecret, rawPublicKey } from '../crypto/hpke.ts';
import { isSecretName, type KeyStore } from '../ports/key-store.ts';
import { webRandom } from './web-platform.ts';

/** Keys that end with the process: for tests, demos, and devices that shall forget everything at power-off. */
export function createMemoryKeyStore(): KeyStore {
  const secrets = new Map<string, Uint8Array>();
  let pair: Promise<DeviceKeyPair> | null = null;
  const macKey = webRandom.bytes(32);

  const devicePair = (): Promise<DeviceKeyPair> => {
    pair ??= generateDeviceKeyPair(false);
    return pair;
  };

  return {
    devicePublicKey: async () => rawPublicKey(await devicePair()),
    hasDeviceKey: async () => pair !== null,
    deleteDeviceKey: async () => {
      pair = null;
    },
    openSealed: async (sealed) => {
      if (pair === null) throw new FaceError('open-failed', 'the sealed key does not open');
      return openSealedSecret(await pair, sealed);
    },
    mac: async (message) => hmac(sha256, macKey, message),
    putSecret: async (name, secret) => {
      if (!isSecretName(name)) throw new FaceError('invalid-argument', 'not a name of a secret');
      secrets.get(name)?.fill(0);
      secrets.set(name, secretCopy(secret));
    },
    getSecret: async (name) => {
      const secret = secrets.get(name);
      return secret === undefined ? null : secretCopy(secret);
    },
    deleteSecret: async (name) => {
      secrets.get(name)?.fill(0);
      secrets.delete(name);
    },
    secretNames: async () => [...secrets.keys()],
  };
}
