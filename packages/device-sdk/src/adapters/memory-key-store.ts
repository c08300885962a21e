import { FaceError } from '@svc/core';
import { type DeviceKeyPair, generateDeviceKeyPair, openSealedSecret, rawPublicKey } from '../crypto/hpke.ts';
import { isSecretName, type KeyStore } from '../ports/key-store.ts';

/** Keys that end with the process: for tests, demos, and devices that shall forget everything at power-off. */
export function createMemoryKeyStore(): KeyStore {
  const secrets = new Map<string, Uint8Array>();
  let pair: Promise<DeviceKeyPair> | null = null;
  let macKey: Promise<Awaited<ReturnType<typeof crypto.subtle.generateKey>>> | null = null;

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
    mac: async (message) => {
      macKey ??= crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const key = await macKey;
      if (!('type' in key)) throw new FaceError('storage-failed', 'no MAC key');
      return new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
    },
    putSecret: async (name, secret) => {
      if (!isSecretName(name)) throw new FaceError('invalid-argument', 'not a name of a secret');
      secrets.get(name)?.fill(0);
      secrets.set(name, secret.slice());
    },
    getSecret: async (name) => secrets.get(name)?.slice() ?? null,
    deleteSecret: async (name) => {
      secrets.get(name)?.fill(0);
      secrets.delete(name);
    },
    secretNames: async () => [...secrets.keys()],
  };
}
