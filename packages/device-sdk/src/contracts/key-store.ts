import { FaceError } from '@svc/core';
import { createListKeySuite } from '../crypto/hpke.ts';
import type { KeyStore, SealedSecret } from '../ports/key-store.ts';
import { type ContractCase, type Durable, demand, demandRejection, equalBytes } from './contract.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

async function sealedTo(publicKey: Uint8Array, plaintext: Uint8Array): Promise<SealedSecret> {
  const suite = createListKeySuite();
  const info = bytes(1, 2, 3);
  const recipientPublicKey = await suite.kem.importKey('raw', publicKey.slice().buffer, true);
  const sender = await suite.createSenderContext({ recipientPublicKey, info: info.slice().buffer });
  const ciphertext = new Uint8Array(await sender.seal(plaintext.slice().buffer));
  return { enc: new Uint8Array(sender.enc), ciphertext, info };
}

const isOpenFailed = (error: unknown): boolean => FaceError.is(error) && error.code === 'open-failed';

/** What every key store must do. Run each case on a fresh one, with any test runner. */
export const keyStoreContract: readonly ContractCase<Durable<KeyStore>>[] = [
  {
    name: 'makes one device key and keeps it',
    check: async ({ port, reopen }) => {
      demand(!(await port.hasDeviceKey()), 'a new store has no device key');
      const [first, second] = await Promise.all([port.devicePublicKey(), port.devicePublicKey()]);
      demand(first.length === 65 && first[0] === 4, 'the public key is an uncompressed point');
      demand(equalBytes(first, second), 'two calls at once make one pair');
      demand(await port.hasDeviceKey(), 'it has the key now');
      if (reopen === null) return;
      const again = await reopen();
      demand(await again.hasDeviceKey(), 'the key is there after a restart');
      demand(equalBytes(await again.devicePublicKey(), first), 'and is the same');
    },
  },
  {
    name: 'opens what is sealed to the device key, after a restart too',
    check: async ({ port, reopen }) => {
      const sealed = await sealedTo(await port.devicePublicKey(), bytes(7, 8, 9));
      demand(equalBytes(await port.openSealed(sealed), bytes(7, 8, 9)), 'opens');
      if (reopen !== null) demand(equalBytes(await (await reopen()).openSealed(sealed), bytes(7, 8, 9)), 'opens again');
    },
  },
  {
    name: 'says open-failed for everything that does not open',
    check: async ({ port }) => {
      const noKey = await sealedTo(
        new Uint8Array((await sealedTo(await port.devicePublicKey(), bytes(1))).enc),
        bytes(1),
      );
      const good = await sealedTo(await port.devicePublicKey(), bytes(7));
      const broken = good.ciphertext.slice();
      broken[0] = (broken[0] ?? 0) ^ 1;
      const cases: readonly (readonly [string, SealedSecret])[] = [
        ['another key', noKey],
        ['another info', { ...good, info: bytes(9) }],
        ['a flipped bit', { ...good, ciphertext: broken }],
        ['a cut ciphertext', { ...good, ciphertext: good.ciphertext.subarray(0, 5) }],
        ['nothing', { ...good, ciphertext: bytes() }],
        ['a point off the curve', { ...good, enc: new Uint8Array(65).fill(4) }],
        ['no point', { ...good, enc: bytes() }],
      ];
      for (const [what, sealed] of cases) {
        demand(isOpenFailed(await demandRejection(port.openSealed(sealed), `${what} opened`)), `${what}: open-failed`);
      }
    },
  },
  {
    name: 'makes another pair after the device key was deleted; what was sealed to the first is lost',
    check: async ({ port, reopen }) => {
      const first = await port.devicePublicKey();
      const sealed = await sealedTo(first, bytes(7));
      await port.deleteDeviceKey();
      await port.deleteDeviceKey();
      demand(!(await port.hasDeviceKey()), 'gone');
      demand(isOpenFailed(await demandRejection(port.openSealed(sealed), 'opened without a key')), 'open-failed');
      const subject = reopen === null ? port : await reopen();
      demand(!equalBytes(await subject.devicePublicKey(), first), 'another pair');
      await demandRejection(subject.openSealed(sealed), 'opened with another key');
    },
  },
  {
    name: 'keeps copies of secrets under their names',
    check: async ({ port, reopen }) => {
      const secret = bytes(1, 2, 3);
      await port.putSecret('list-keys.1', secret);
      await port.putSecret('b', bytes());
      secret.fill(0);
      const got = await port.getSecret('list-keys.1');
      demand(got?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      demand(equalBytes(got, bytes(1, 2, 3)), 'a copy was kept');
      got?.fill(0);
      demand(equalBytes(await port.getSecret('list-keys.1'), bytes(1, 2, 3)), 'a copy was given');
      demand((await port.getSecret('b'))?.length === 0, 'an empty secret is a secret');
      await port.putSecret('list-keys.1', bytes(4));
      const subject = reopen === null ? port : await reopen();
      demand(equalBytes(await subject.getSecret('list-keys.1'), bytes(4)), 'replaced');
      demand([...(await subject.secretNames())].sort().join() === 'b,list-keys.1', 'both names');
      demand((await subject.getSecret('c')) === null, 'null for none');
    },
  },
  {
    name: 'forgets deleted secrets',
    check: async ({ port, reopen }) => {
      await port.putSecret('a', bytes(1));
      await port.deleteSecret('a');
      await port.deleteSecret('a');
      const subject = reopen === null ? port : await reopen();
      demand((await subject.getSecret('a')) === null, 'gone');
      demand((await subject.secretNames()).length === 0, 'no name left');
    },
  },
  {
    name: 'refuses names that could be paths',
    check: async ({ port }) => {
      for (const name of ['', '../a', 'a/b', 'A', '.a', 'a'.repeat(65), 'a\0']) {
        await demandRejection(port.putSecret(name, bytes(1)), 'took such a name');
      }
      demand((await port.secretNames()).length === 0, 'nothing was kept');
    },
  },
  {
    name: 'makes the same MAC for the same message, through restarts and the loss of the device key',
    check: async ({ port, reopen }) => {
      const [one, two] = await Promise.all([port.mac(bytes(1)), port.mac(bytes(2))]);
      demand(one.length === 32 && !equalBytes(one, two), '32 bytes that depend on the message');
      await port.devicePublicKey();
      await port.deleteDeviceKey();
      demand(equalBytes(await port.mac(bytes(1)), one), 'the same again');
      if (reopen !== null) demand(equalBytes(await (await reopen()).mac(bytes(1)), one), 'the same after a restart');
      demand((await port.secretNames()).length === 0, 'its key is not among the secrets');
    },
  },
];
