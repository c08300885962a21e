import type { KeyStore } from '@svc/device-sdk';
import type { ListKeys, SealedSecret } from '@svc/device-sdk/adapters';
import { fromBase64Url, type OpenedListKeys, toBase64Url } from '@svc/device-sdk-native';
import { type AskStore, shellStoreFailed } from './shell-stores.ts';

const sealedText = ({ enc, ciphertext, info }: SealedSecret) => ({
  enc: toBase64Url(enc),
  ciphertext: toBase64Url(ciphertext),
  info: toBase64Url(info),
});

/** The keys of the platform's own store. No key enters the page: it gets public keys, MACs and HKDF outputs. */
export function createShellKeyStore(ask: AskStore): KeyStore {
  return {
    devicePublicKey: async () => fromBase64Url((await ask('keyStore.devicePublicKey', {})).publicKey),
    hasDeviceKey: async () => (await ask('keyStore.hasDeviceKey', {})).has,
    deleteDeviceKey: async () => void (await ask('keyStore.deleteDeviceKey', {})),
    mac: async (message) => fromBase64Url((await ask('keyStore.mac', { message: toBase64Url(message) })).mac),
    openListKeys: async ({ epochs, checkInSecret }) => {
      const sealed = epochs.map((one) => ({ epoch: one.epoch, sealed: sealedText(one.sealed) }));
      const secret = checkInSecret === null ? null : sealedText(checkInSecret);
      return heldListKeys(ask, await ask('keyStore.openListKeys', { epochs: sealed, checkInSecret: secret }));
    },
    listKeys: async (generation) => {
      const { keys } = await ask('keyStore.listKeys', { generation });
      return keys === null ? null : heldListKeys(ask, keys);
    },
    deleteListKeys: async (generation) => void (await ask('keyStore.deleteListKeys', { generation })),
    listKeyGenerations: async () => (await ask('keyStore.listKeyGenerations', {})).generations,
    deriveFromAdmissionKey: async (salt, info, length) => {
      const body = { salt: toBase64Url(salt), info: toBase64Url(info), length };
      return ofLength(length, (await ask('keyStore.deriveFromAdmissionKey', body)).bytes);
    },
    hasAdmissionKey: async () => (await ask('keyStore.hasAdmissionKey', {})).has,
    deleteAdmissionKey: async () => void (await ask('keyStore.deleteAdmissionKey', {})),
  };
}

/** List keys that the shell holds under a handle. */
function heldListKeys(ask: AskStore, { handle, epochs }: OpenedListKeys): ListKeys {
  let isWiped = false;
  const requireHeld = () => {
    if (isWiped) throw shellStoreFailed();
  };
  return {
    epochs,
    keyOf(epoch) {
      if (!epochs.includes(epoch)) return null;
      return async (salt, info, length) => {
        requireHeld();
        const body = { handle, epoch, salt: toBase64Url(salt), info: toBase64Url(info), length };
        return ofLength(length, (await ask('keyStore.derive', body)).bytes);
      };
    },
    async signCheckIn(message) {
      requireHeld();
      const { signature } = await ask('keyStore.signCheckIn', { handle, message: toBase64Url(message) });
      return signature === null ? null : fromBase64Url(signature);
    },
    async keepAs(generation) {
      requireHeld();
      await ask('keyStore.keepAs', { handle, generation });
    },
    wipe() {
      if (isWiped) return;
      isWiped = true;
      ask('keyStore.release', { handle }).catch(() => undefined);
    },
  };
}

/** A shell's answer of another length is none. */
function ofLength(length: number, text: string): Uint8Array {
  const bytes = fromBase64Url(text);
  if (bytes.length === length) return bytes;
  bytes.fill(0);
  throw shellStoreFailed();
}
