import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { secretCopy } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import { webRandom } from '../platform/platform.ts';
import { type DeviceKeyPair, generateDeviceKeyPair, rawPublicKey } from './hpke.ts';
import type { KeyStore } from './key-store.ts';
import { openListKeys, storedListKeys } from './list-keys.ts';
import type { PackReader, PackStore } from './pack-store.ts';

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

export function createMemoryPackStore(): PackStore {
  const packs = new Map<number, Uint8Array>();
  const pages = new Map<number, Uint8Array>();
  let state: Uint8Array | null = null;
  return {
    readState: async () => state?.slice() ?? null,
    writeState: async (next) => {
      state = Uint8Array.from(next);
    },
    writePack: async (generation, parts) => {
      const kept: Uint8Array[] = [];
      // Not `slice`, which returns a view for a Buffer.
      for await (const part of parts) kept.push(Uint8Array.from(part));
      packs.set(generation, concatBytes(...kept));
    },
    openPack: async (generation) => {
      const pack = packs.get(generation);
      return pack === undefined ? null : readerOf(pack);
    },
    deletePack: async (generation) => {
      packs.delete(generation);
    },
    listPacks: async () => [...packs.keys()],
    readPage: async (page) => pages.get(page)?.slice() ?? null,
    writePage: async (page, content) => void pages.set(page, Uint8Array.from(content)),
    deletePage: async (page) => void pages.delete(page),
    listPages: async () => [...pages.keys()],
  };
}

function readerOf(pack: Uint8Array): PackReader {
  let open = true;
  return {
    byteLength: pack.length,
    read: async (offset, length) => {
      if (!open || offset + length > pack.length) throw new Error('no such range');
      return pack.slice(offset, offset + length);
    },
    close: async () => {
      open = false;
    },
  };
}
