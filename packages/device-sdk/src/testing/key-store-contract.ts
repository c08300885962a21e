import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import { sameBytes } from '../platform/bytes.ts';
import type { KeyStore, ListKeys, SealedSecret } from '../storage/key-store.ts';
import {
  type ContractCase,
  type Durable,
  demand,
  demandRejection,
  keepListKeys,
  type PlainListKeys,
  sealListKeys,
  sealSecret,
} from './contract.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const filled = (value: number): Uint8Array => new Uint8Array(32).fill(value);
type EpochKey = PlainListKeys['epochs'][number];
const keyOf = (epoch: number, value: number): EpochKey => ({ epoch, key: filled(value) });
const keep = (port: KeyStore, generation: number, epochs: readonly EpochKey[], checkInSecret?: Uint8Array | null) =>
  keepListKeys(port, generation, { epochs, ...(checkInSecret === undefined ? {} : { checkInSecret }) });

/** Requires that the generation has exactly these keys. */
async function demandKeys(port: KeyStore, generation: number, expected: readonly EpochKey[]): Promise<void> {
  await demandTheseKeys(await port.listKeys(generation), expected);
}

async function demandTheseKeys(keys: ListKeys | null, expected: readonly EpochKey[]): Promise<void> {
  demand(keys?.epochs.join() === expected.map(({ epoch }) => epoch).join(), 'the epochs');
  const [salt, info] = [bytes(1, 2), bytes(3)];
  for (const { epoch, key } of expected) {
    const derived = (await keys.keyOf(epoch)?.(salt, info, 44)) ?? null;
    demand(sameBytes(derived, hkdfSha256(key, salt, info, 44)), `derived from the key of epoch ${epoch}`);
  }
  keys.wipe();
}

/** Requires that a generation signs with this check-in secret; null: with none. */
async function demandSecret(port: KeyStore, generation: number, secret: Uint8Array | null): Promise<void> {
  const keys = await port.listKeys(generation);
  for (const message of [bytes(), bytes(1, 2, 3), new Uint8Array(3_000).fill(9)]) {
    const signed = (await keys?.signCheckIn(message)) ?? null;
    if (secret === null) demand(signed === null, 'null without a check-in secret');
    else demand(sameBytes(signed, hmac(sha256, secret, message)), `signed over ${message.length} bytes`);
  }
  keys?.wipe();
}

const isOpenFailed = (error: unknown): boolean => FaceError.is(error) && error.code === 'open-failed';

/** Contract of every key store. Run each case on a fresh one, with any test runner. */
export const keyStoreContract: readonly ContractCase<Durable<KeyStore>>[] = [
  {
    name: 'makes one device key and keeps it',
    check: async ({ port, reopen }) => {
      demand(!(await port.hasDeviceKey()), 'a new store has no device key');
      const [first, second] = await Promise.all([port.devicePublicKey(), port.devicePublicKey()]);
      demand(first.length === 65 && first[0] === 4, 'the public key is an uncompressed point');
      demand(sameBytes(first, second), 'two calls at once make one pair');
      demand(await port.hasDeviceKey(), 'it has the key now');
      if (reopen === null) return;
      const again = await reopen();
      demand(await again.hasDeviceKey(), 'the key is there after a restart');
      demand(sameBytes(await again.devicePublicKey(), first), 'and is the same');
    },
  },
  {
    name: 'opens what is sealed to the device key, after a restart too, and stores none of it',
    check: async ({ port, reopen }) => {
      const [epochs, checkInSecret] = [[keyOf(1, 7), keyOf(4, 9)], filled(5)];
      const sealed = await sealListKeys(await port.devicePublicKey(), { epochs, checkInSecret });
      for (const subject of reopen === null ? [port] : [port, await reopen()]) {
        const keys = await subject.openListKeys(sealed);
        const signed = await keys.signCheckIn(bytes(1));
        demand(sameBytes(signed, hmac(sha256, checkInSecret, bytes(1))), 'signs with the secret');
        demand(keys.keyOf(0) === null && keys.keyOf(2) === null, 'null for an epoch without a key');
        await demandTheseKeys(keys, epochs);
        demand((await subject.listKeyGenerations()).length === 0, 'nothing was stored');
      }
      const none = await port.openListKeys({ epochs: [], checkInSecret: null });
      demand(none.epochs.length === 0 && (await none.signCheckIn(bytes(1))) === null, 'no key at all');
    },
  },
  {
    name: 'says open-failed for everything that does not open, beside keys that do, and keeps nothing of it',
    check: async ({ port }) => {
      const publicKey = await port.devicePublicKey();
      const good = await sealSecret(publicKey, filled(7));
      const broken = good.ciphertext.slice();
      broken[0] = (broken[0] ?? 0) ^ 1;
      const cases: readonly (readonly [string, SealedSecret])[] = [
        ['another key', await sealSecret(good.enc, filled(7))],
        ['another info', { ...good, info: bytes(9) }],
        ['a flipped bit', { ...good, ciphertext: broken }],
        ['a cut ciphertext', { ...good, ciphertext: good.ciphertext.subarray(0, 5) }],
        ['nothing', { ...good, ciphertext: bytes() }],
        ['a point off the curve', { ...good, enc: new Uint8Array(65).fill(4) }],
        ['no point', { ...good, enc: bytes() }],
        ['a short key', await sealSecret(publicKey, new Uint8Array(31))],
        ['a long key', await sealSecret(publicKey, new Uint8Array(33))],
        ['an empty key', await sealSecret(publicKey, bytes())],
      ];
      for (const [what, sealed] of cases) {
        const beside = [
          { epochs: [{ epoch: 1, sealed }], checkInSecret: null },
          {
            epochs: [
              { epoch: 1, sealed: good },
              { epoch: 2, sealed },
            ],
            checkInSecret: good,
          },
          { epochs: [{ epoch: 1, sealed: good }], checkInSecret: sealed },
        ];
        for (const keys of beside) {
          demand(
            isOpenFailed(await demandRejection(port.openListKeys(keys), `${what} opened`)),
            `${what}: open-failed`,
          );
        }
      }
      demand((await port.listKeyGenerations()).length === 0, 'nothing was kept');
    },
  },
  {
    name: 'makes another pair after the device key was deleted; what was sealed to the first is lost',
    check: async ({ port, reopen }) => {
      const first = await port.devicePublicKey();
      const sealed = await sealListKeys(first, { epochs: [keyOf(1, 7)] });
      await port.deleteDeviceKey();
      await port.deleteDeviceKey();
      demand(!(await port.hasDeviceKey()), 'gone');
      demand(isOpenFailed(await demandRejection(port.openListKeys(sealed), 'opened without a key')), 'open-failed');
      const subject = reopen === null ? port : await reopen();
      demand(!sameBytes(await subject.devicePublicKey(), first), 'another pair');
      await demandRejection(subject.openListKeys(sealed), 'opened with another key');
    },
  },
  {
    name: 'keeps copies of list keys, and derives from each what HKDF-SHA-256 does',
    check: async ({ port, reopen }) => {
      const keys = [keyOf(1, 7), keyOf(4, 9)];
      await keep(port, 1, keys);
      for (const { key } of keys) key.fill(0);
      await demandKeys(port, 1, [keyOf(1, 7), keyOf(4, 9)]);
      await keep(port, 2, [keyOf(1, 3)]);
      await keep(port, 1, [keyOf(2, 5)]);
      const subject = reopen === null ? port : await reopen();
      await demandKeys(subject, 1, [keyOf(2, 5)]);
      await demandKeys(subject, 2, [keyOf(1, 3)]);
      demand([...(await subject.listKeyGenerations())].sort().join() === '1,2', 'both generations');
      demand((await subject.listKeys(3)) === null, 'null for none');
      const none = await subject.listKeys(2);
      demand(none?.keyOf(7) === null, 'null for an epoch without a key');
      none?.wipe();
    },
  },
  {
    name: 'derives as much from long input as from none',
    check: async ({ port }) => {
      await keep(port, 1, [keyOf(1, 7)]);
      const keys = await port.listKeys(1);
      const derive = keys?.keyOf(1);
      const cases = [
        [bytes(), bytes(), 1],
        [new Uint8Array(24).fill(1), new Uint8Array(1_100).fill(2), 44],
        [new Uint8Array(100).fill(3), bytes(4), 64],
      ] as const;
      for (const [salt, info, length] of cases) {
        const derived = (await derive?.(salt, info, length)) ?? null;
        demand(sameBytes(derived, hkdfSha256(keyOf(1, 7).key, salt, info, length)), `${info.length} bytes of info`);
      }
      keys?.wipe();
    },
  },
  {
    name: 'derives nothing any more of list keys that were wiped',
    check: async ({ port }) => {
      await keep(port, 1, [keyOf(1, 7)]);
      const keys = await port.listKeys(1);
      const derive = keys?.keyOf(1) ?? (async () => bytes());
      keys?.wipe();
      await demandRejection(derive(bytes(), bytes(), 32), 'derived from a key that was wiped');
      await demandRejection(keys?.keepAs(2) ?? Promise.resolve(), 'kept keys that were wiped');
      demand((await port.listKeyGenerations()).join() === '1', 'nothing else was kept');
      await demandKeys(port, 1, [keyOf(1, 7)]);
    },
  },
  {
    name: 'keeps list keys for another generation too, also where they have been deleted meanwhile',
    check: async ({ port, reopen }) => {
      await keep(port, 1, [keyOf(1, 7), keyOf(4, 9)]);
      const keys = await port.listKeys(1);
      await keys?.keepAs(2);
      await port.deleteListKeys(1);
      await port.deleteListKeys(2);
      await keys?.keepAs(3);
      keys?.wipe();
      const subject = reopen === null ? port : await reopen();
      await demandKeys(subject, 3, [keyOf(1, 7), keyOf(4, 9)]);
      demand((await subject.listKeyGenerations()).join() === '3', 'the last alone');
    },
  },
  {
    name: 'signs with the check-in secret of the generation, which is none of its epochs',
    check: async ({ port, reopen }) => {
      const secret = new Uint8Array(32).fill(5);
      await keep(port, 1, [keyOf(1, 7)], secret);
      secret.fill(0);
      await keep(port, 2, [keyOf(1, 7)]);
      const subject = reopen === null ? port : await reopen();
      await demandSecret(subject, 1, new Uint8Array(32).fill(5));
      await demandSecret(subject, 2, null);
      await demandKeys(subject, 1, [keyOf(1, 7)]);
      const keys = await subject.listKeys(1);
      demand(keys?.keyOf(0) === null, 'nothing is derived of it');
      keys?.wipe();
    },
  },
  {
    name: 'replaces the check-in secret with the keys, keeps it for another generation, and forgets it with the keys',
    check: async ({ port, reopen }) => {
      await keep(port, 1, [keyOf(1, 7)], new Uint8Array(32).fill(5));
      await keep(port, 1, [keyOf(1, 7)], new Uint8Array(32).fill(6));
      const keys = await port.listKeys(1);
      await keys?.keepAs(2);
      keys?.wipe();
      await demandRejection(keys?.signCheckIn(bytes(1)) ?? Promise.resolve(), 'signed after it was wiped');
      await keep(port, 1, [keyOf(1, 7)], null);
      const subject = reopen === null ? port : await reopen();
      await demandSecret(subject, 1, null);
      await demandSecret(subject, 2, new Uint8Array(32).fill(6));
      await subject.deleteListKeys(2);
      demand((await subject.listKeys(2)) === null, 'gone');
    },
  },
  {
    name: 'forgets deleted list keys',
    check: async ({ port, reopen }) => {
      await keep(port, 1, [keyOf(1, 7)]);
      await port.deleteListKeys(1);
      await port.deleteListKeys(1);
      const subject = reopen === null ? port : await reopen();
      demand((await subject.listKeys(1)) === null, 'gone');
      demand((await subject.listKeyGenerations()).length === 0, 'no generation left');
    },
  },
  {
    name: 'makes the same MAC for the same message, through restarts and the loss of the device key',
    check: async ({ port, reopen }) => {
      const [one, two] = await Promise.all([port.mac(bytes(1)), port.mac(bytes(2))]);
      demand(one.length === 32 && !sameBytes(one, two), '32 bytes that depend on the message');
      await port.devicePublicKey();
      await port.deleteDeviceKey();
      demand(sameBytes(await port.mac(bytes(1)), one), 'the same again');
      if (reopen !== null) demand(sameBytes(await (await reopen()).mac(bytes(1)), one), 'the same after a restart');
      demand((await port.listKeyGenerations()).length === 0, 'its key is no list key');
    },
  },
  {
    name: 'makes one key of the log of admissions, and derives from it what HKDF-SHA-256 gives',
    check: async ({ port, reopen }) => {
      demand(!(await port.hasAdmissionKey()), 'a new store has none');
      const derive = (store: KeyStore, ...salt: number[]) => store.deriveFromAdmissionKey(bytes(...salt), bytes(3), 44);
      const [first, second] = await Promise.all([derive(port, 1), derive(port, 1)]);
      demand(first.length === 44 && sameBytes(first, second), 'two calls at once make one key');
      demand(!sameBytes(await derive(port, 2), first), 'depends on the salt');
      demand(
        sameBytes((await port.deriveFromAdmissionKey(bytes(1), bytes(3), 9)) ?? null, first.subarray(0, 9)),
        'shorter',
      );
      demand(await port.hasAdmissionKey(), 'it has the key now');
      demand((await port.listKeyGenerations()).length === 0, 'it is no list key');
      demand(!(await port.hasDeviceKey()), 'and no device key');
      if (reopen === null) return;
      const again = await reopen();
      demand(await again.hasAdmissionKey(), 'the key is there after a restart');
      demand(sameBytes(await derive(again, 1), first), 'and is the same');
    },
  },
  {
    name: 'makes another key of the log after the first was deleted',
    check: async ({ port, reopen }) => {
      const first = await port.deriveFromAdmissionKey(bytes(1), bytes(2), 32);
      const copy = first.slice();
      await keep(port, 1, [keyOf(1, 7)]);
      await port.deleteAdmissionKey();
      await port.deleteAdmissionKey();
      demand(!(await port.hasAdmissionKey()), 'gone');
      const subject = reopen === null ? port : await reopen();
      demand(!(await subject.hasAdmissionKey()), 'gone after a restart');
      demand(!sameBytes(await subject.deriveFromAdmissionKey(bytes(1), bytes(2), 32), copy), 'another key');
      await demandKeys(subject, 1, [keyOf(1, 7)]);
    },
  },
];
