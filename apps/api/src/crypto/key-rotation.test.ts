import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemRandom } from '../platform/ports.ts';
import { KeyEncryptionError, kekIdOf } from './kek.ts';
import { createLocalKeyEncryption } from './key-encryption.ts';
import { createKeyRing, KeyShreddedError } from './key-ring.ts';
import { createKeyRotation } from './key-rotation.ts';
import { type KeyStorage, openKeyStorage } from './key-storage.ts';
import type { KeyStore } from './key-store.ts';

const clock = { now: () => 1 };
const newKek = () => new Uint8Array(randomBytes(32));
const [old, current, foreign] = [newKek(), newKek(), newKek()];
let path: string;
let storage: KeyStorage;

beforeEach(async () => {
  path = temporaryFolder();
  storage = await openKeyStorage({ kind: 'folder', path: join(path, 'keys') }, systemRandom);
});
afterEach(() => storage.close());

const encryption = (...keks: [Uint8Array, ...Uint8Array[]]) => createLocalKeyEncryption(systemRandom, keks);
const ring = (...keks: [Uint8Array, ...Uint8Array[]]) =>
  createKeyRing({ keyEncryption: encryption(...keks), keyStore: storage.keys, clock, random: systemRandom });
const rotation = (keyStore: KeyStore, ...keks: [Uint8Array, ...Uint8Array[]]) =>
  createKeyRotation({ keyEncryption: encryption(...keks), keyStore });

it('wraps everything again, so that the old key can go; the keys themselves stay', async () => {
  const made = new Map<string, Uint8Array>();
  for (let i = 0; i < 12; i += 1) made.set(`lst_${i}`, await ring(old).createListKey(`lst_${i}`, 1));
  const { rewrapped, unreadable, keks } = await rotation(storage.keys, current, old).rotate();
  expect([rewrapped, unreadable]).toEqual([12, 0]);
  expect(keks).toEqual([
    { kekId: kekIdOf(current), keys: 12, atHand: true, current: true },
    { kekId: kekIdOf(old), keys: 0, atHand: true, current: false },
  ]);
  for (const [listId, key] of made) expect(await ring(current).unwrapListKey(listId, 1)).toEqual(key);
  await expect(ring(old).unwrapListKey('lst_0', 1)).rejects.toThrow(KeyEncryptionError);
});

it('takes up what an interruption left', async () => {
  for (let i = 0; i < 6; i += 1) await ring(old).createListKey(`lst_${i}`, 1);
  let left = 3;
  const failing: KeyStore = {
    ...storage.keys,
    replace(...args) {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('killed')) : storage.keys.replace(...args);
    },
  };
  await expect(rotation(failing, current, old).rotate()).rejects.toThrow('killed');
  expect((await rotation(storage.keys, current, old).rotate()).rewrapped).toBe(3);
});

it('leaves and reports keys that no available KEK can unwrap', async () => {
  await ring(old).createListKey('lst_a', 1);
  await ring(foreign).createListKey('lst_b', 1);
  const report = await rotation(storage.keys, current, old).rotate();
  expect([report.rewrapped, report.unreadable]).toEqual([1, 1]);
  expect(report.keks).toContainEqual({ kekId: kekIdOf(foreign), keys: 1, atHand: false, current: false });
  await expect(ring(foreign).unwrapListKey('lst_b', 1)).resolves.toHaveLength(32);
});

it('brings no key back that is shredded meanwhile', async () => {
  await ring(old).createListKey('lst_a', 1);
  await ring(old).createListKey('lst_b', 1);
  const racing: KeyStore = {
    ...storage.keys,
    async replace(name, ...rest) {
      if (name.ownerId === 'lst_a') await ring(old).shredList('lst_a');
      return storage.keys.replace(name, ...rest);
    },
  };
  expect((await rotation(racing, current, old).rotate()).rewrapped).toBe(1);
  await expect(ring(current, old).unwrapListKey('lst_a', 1)).rejects.toThrow(KeyShreddedError);
});
