import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import { sameBytes } from '../platform/bytes.ts';
import type { Transport } from '../platform/transport.ts';
import { createListKeySuite } from '../storage/hpke.ts';
import type { KeyStore, ListKeys, SealedListKeys, SealedSecret } from '../storage/key-store.ts';
import type { PackStore } from '../storage/pack-store.ts';

// The suites of the ports, for any test runner and for a browser's page: they import neither.

/** One requirement of a port. Rejects with a description if the adapter does not meet it. */
export interface ContractCase<Subject> {
  readonly name: string;
  readonly check: (subject: Subject) => Promise<void>;
}

/** An adapter under test. */
export interface Durable<Port> {
  /** The port, new and empty. */
  readonly port: Port;
  /** Opens the port again, as after a restart; the same where nothing outlives the program. */
  readonly reopen: () => Promise<Port>;
}

export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export async function demandRejection(action: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await action;
  } catch (error) {
    return error;
  }
  throw new Error(what);
}

/** List keys in plain text, as only their issuer has them. */
export interface PlainListKeys {
  /** 32 bytes each. */
  readonly epochs: readonly { readonly epoch: number; readonly key: Uint8Array }[];
  /** 32 bytes. Default: none. */
  readonly checkInSecret?: Uint8Array | null;
}

/** Seals a secret to a device's public key, as the service does. */
export async function sealSecret(
  publicKey: Uint8Array,
  plaintext: Uint8Array,
  info: Uint8Array = Uint8Array.of(1, 2, 3),
): Promise<SealedSecret> {
  const suite = createListKeySuite();
  const recipientPublicKey = await suite.kem.importKey('raw', publicKey.slice().buffer, true);
  const sender = await suite.createSenderContext({ recipientPublicKey, info: info.slice().buffer });
  const ciphertext = new Uint8Array(await sender.seal(plaintext.slice().buffer));
  return { enc: new Uint8Array(sender.enc), ciphertext, info };
}

/** Seals list keys to a device's public key. */
export async function sealListKeys(
  publicKey: Uint8Array,
  { epochs, checkInSecret = null }: PlainListKeys,
): Promise<SealedListKeys> {
  return {
    epochs: await Promise.all(
      epochs.map(async ({ epoch, key }) => ({ epoch, sealed: await sealSecret(publicKey, key) })),
    ),
    checkInSecret: checkInSecret === null ? null : await sealSecret(publicKey, checkInSecret),
  };
}

/** Seals list keys to a store's own device key, opens them there and keeps them as a generation. */
export async function keepListKeys(
  store: Pick<KeyStore, 'devicePublicKey' | 'openListKeys'>,
  generation: number,
  keys: PlainListKeys,
): Promise<void> {
  const opened = await store.openListKeys(await sealListKeys(await store.devicePublicKey(), keys));
  try {
    await opened.keepAs(generation);
  } finally {
    opened.wipe();
  }
}

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
  // Longer than WebCrypto of some browsers took.
  const [salt, info] = [new Uint8Array(24).fill(1), new Uint8Array(1_100).fill(2)];
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
    name: 'makes one device key and keeps it; once it was deleted, another, and what was sealed to the first is lost',
    check: async ({ port, reopen }) => {
      demand(!(await port.hasDeviceKey()), 'a new store has no device key');
      const [first, second] = await Promise.all([port.devicePublicKey(), port.devicePublicKey()]);
      demand(first.length === 65 && first[0] === 4, 'the public key is an uncompressed point');
      demand(sameBytes(first, second), 'two calls at once make one pair');
      const again = await reopen();
      demand(await again.hasDeviceKey(), 'the key is there after a restart');
      demand(sameBytes(await again.devicePublicKey(), first), 'and is the same');
      const sealed = await sealListKeys(first, { epochs: [keyOf(1, 7)] });
      for (let times = 0; times < 2; times += 1) await again.deleteDeviceKey();
      demand(!(await again.hasDeviceKey()), 'gone');
      demand(isOpenFailed(await demandRejection(again.openListKeys(sealed), 'opened without a key')), 'open-failed');
      const subject = await reopen();
      demand(!sameBytes(await subject.devicePublicKey(), first), 'another pair');
      await demandRejection(subject.openListKeys(sealed), 'opened with another key');
    },
  },
  {
    name: 'opens what is sealed to the device key, after a restart too, and stores none of it',
    check: async ({ port, reopen }) => {
      const [epochs, checkInSecret] = [[keyOf(1, 7), keyOf(4, 9)], filled(5)];
      const sealed = await sealListKeys(await port.devicePublicKey(), { epochs, checkInSecret });
      for (const subject of [port, await reopen()]) {
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
        ['a point off the curve', { ...good, enc: new Uint8Array(65).fill(4) }],
        ['no point', { ...good, enc: bytes() }],
        ['a short key', await sealSecret(publicKey, new Uint8Array(31))],
      ];
      for (const [what, sealed] of cases) {
        const first = { epoch: 1, sealed: good };
        for (const keys of [
          { epochs: [first, { epoch: 2, sealed }], checkInSecret: good },
          { epochs: [first], checkInSecret: sealed },
        ]) {
          const error = await demandRejection(port.openListKeys(keys), `${what} opened`);
          demand(isOpenFailed(error), `${what}: open-failed`);
        }
      }
      demand((await port.listKeyGenerations()).length === 0, 'nothing was kept');
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
      const subject = await reopen();
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
      for (const generation of [1, 1, 2]) await port.deleteListKeys(generation);
      await keys?.keepAs(3);
      keys?.wipe();
      const subject = await reopen();
      await demandKeys(subject, 3, [keyOf(1, 7), keyOf(4, 9)]);
      demand((await subject.listKeyGenerations()).join() === '3', 'the last alone');
    },
  },
  {
    name: 'signs with the check-in secret of the generation, and keeps, replaces and forgets it with the keys',
    check: async ({ port, reopen }) => {
      const secret = filled(5);
      await keep(port, 1, [keyOf(1, 7)], secret);
      secret.fill(0);
      const keys = await port.listKeys(1);
      await keys?.keepAs(2);
      keys?.wipe();
      await demandRejection(keys?.signCheckIn(bytes(1)) ?? Promise.resolve(), 'signed after it was wiped');
      await keep(port, 1, [keyOf(1, 7)], filled(6));
      await keep(port, 3, [keyOf(1, 7)]);
      const subject = await reopen();
      await demandSecret(subject, 1, filled(6));
      await demandSecret(subject, 2, filled(5));
      await demandSecret(subject, 3, null);
      await demandKeys(subject, 1, [keyOf(1, 7)]);
      await keep(subject, 1, [keyOf(1, 7)], null);
      await demandSecret(subject, 1, null);
      await subject.deleteListKeys(2);
      demand((await subject.listKeys(2)) === null, 'gone');
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
      demand(sameBytes(await (await reopen()).mac(bytes(1)), one), 'the same after a restart');
      demand((await port.listKeyGenerations()).length === 0, 'its key is no list key');
    },
  },
  {
    name: 'makes one key of the log of admissions, derives from it by HKDF-SHA-256, and another once it was deleted',
    check: async ({ port, reopen }) => {
      demand(!(await port.hasAdmissionKey()), 'a new store has none');
      const derive = (store: KeyStore, salt = 1, length = 44) =>
        store.deriveFromAdmissionKey(bytes(salt), bytes(3), length);
      const [first, second] = await Promise.all([derive(port), derive(port)]);
      demand(first.length === 44 && sameBytes(first, second), 'two calls at once make one key');
      demand(!sameBytes(await derive(port, 2), first), 'depends on the salt');
      demand(sameBytes(await derive(port, 1, 9), first.subarray(0, 9)), 'shorter');
      demand((await port.listKeyGenerations()).length === 0, 'it is no list key');
      demand(!(await port.hasDeviceKey()), 'and no device key');
      const kept = first.slice();
      const again = await reopen();
      demand(await again.hasAdmissionKey(), 'the key is there after a restart');
      demand(sameBytes(await derive(again), kept), 'and is the same');
      await keep(again, 1, [keyOf(1, 7)]);
      for (let times = 0; times < 2; times += 1) await again.deleteAdmissionKey();
      const subject = await reopen();
      demand(!(await subject.hasAdmissionKey()), 'gone, after a restart too');
      demand(!sameBytes(await derive(subject), kept), 'another key');
      await demandKeys(subject, 1, [keyOf(1, 7)]);
    },
  },
];

const big = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) & 255);

/** A pack as a store accepts it, by default in one piece. */
export async function* inParts(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* thenBroken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('the parts broke off');
}

/** A whole pack; null if there is none. */
export async function readWhole(store: PackStore, generation: number): Promise<Uint8Array | null> {
  const reader = await store.openPack(generation);
  if (reader === null) return null;
  try {
    return await reader.read(0, reader.byteLength);
  } finally {
    await reader.close();
  }
}

/** Contract of every pack store. Adapters test crashes themselves, since only they know the possible points. */
export const packStoreContract: readonly ContractCase<Durable<PackStore>>[] = [
  {
    name: 'keeps the last state written',
    check: async ({ port, reopen }) => {
      demand((await port.readState()) === null, 'none at first');
      const state = Uint8Array.of(1, 2, 3);
      await port.writeState(state);
      state.fill(0);
      demand(sameBytes(await port.readState(), Uint8Array.of(1, 2, 3)), 'a copy was kept');
      demand((await port.readState())?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      await port.writeState(Uint8Array.of());
      await port.writeState(big);
      const subject = await reopen();
      demand(sameBytes(await subject.readState(), big), 'the last one');
    },
  },
  {
    name: 'keeps packs by generation, and forgets deleted ones',
    check: async ({ port, reopen }) => {
      await port.writePack(1, inParts(big, 70_001));
      await port.writePack(12, inParts(Uint8Array.of(12)));
      await port.writePack(12, inParts(Uint8Array.of(13)));
      await port.writePack(2 ** 40, inParts(Uint8Array.of()));
      await port.writePack(7, inParts(big));
      for (let again = 0; again < 2; again += 1) await port.deletePack(7);
      const subject = await reopen();
      demand(sameBytes(await readWhole(subject, 1), big), 'the first');
      demand(sameBytes(await readWhole(subject, 12), Uint8Array.of(13)), 'the replaced one');
      demand((await readWhole(subject, 2 ** 40))?.length === 0, 'an empty one, of a large number');
      demand((await subject.openPack(7)) === null, 'null for a deleted one');
      const generations = [...(await subject.listPacks())].sort((a, b) => a - b);
      demand(generations.join() === `1,12,${2 ** 40}`, 'all generations');
    },
  },
  {
    name: 'reads ranges, several at once, and no more than there is',
    check: async ({ port }) => {
      await port.writePack(3, inParts(big, 65_536));
      const reader = await port.openPack(3);
      demand(reader !== null, 'it opens');
      demand(reader.byteLength === big.length, 'its length');
      const ranges = [
        [0, 1],
        [65_530, 12],
        [131_071, 131_073],
        [big.length - 1, 1],
        [big.length, 0],
        [5, 0],
      ] as const;
      const read = await Promise.all(ranges.map(([offset, length]) => reader.read(offset, length)));
      ranges.forEach(([offset, length], i) => {
        demand(sameBytes(read[i] ?? null, big.subarray(offset, offset + length)), `${length} bytes from ${offset}`);
      });
      demand(read[0]?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      read[0].fill(9);
      demand(sameBytes(await reader.read(0, 1), big.subarray(0, 1)), 'copies of what was written');
      await demandRejection(reader.read(big.length - 1, 2), 'more than there is');
      await demandRejection(reader.read(big.length + 1, 1), 'from behind the end');
      await reader.close();
      await reader.close();
      await demandRejection(reader.read(0, 1), 'after it was closed');
    },
  },
  {
    name: 'takes parts whose memory is used again',
    check: async ({ port }) => {
      const shared = new Uint8Array(1_000);
      const parts = async function* () {
        for (let i = 1; i <= 5; i += 1) yield shared.fill(i);
      };
      await port.writePack(1, parts());
      const content = await readWhole(port, 1);
      demand(content?.length === 5_000, 'all parts');
      demand(content?.every((byte, i) => byte === Math.floor(i / 1_000) + 1) === true, 'each as it was');
    },
  },
  {
    name: 'leaves nothing of parts that break off, and what lay there before as it was',
    check: async ({ port, reopen }) => {
      await port.writePack(1, inParts(Uint8Array.of(1)));
      await demandRejection(port.writePack(1, thenBroken(big)), 'a replacement that breaks off');
      await demandRejection(port.writePack(2, thenBroken(big)), 'a new one that breaks off');
      const subject = await reopen();
      demand(sameBytes(await readWhole(subject, 1), Uint8Array.of(1)), 'the old one');
      demand((await subject.openPack(2)) === null, 'no new one');
      demand((await subject.listPacks()).join() === '1', 'nor its generation');
    },
  },
  {
    name: 'keeps pages by number, apart from packs, and forgets deleted ones',
    check: async ({ port, reopen }) => {
      demand((await port.listPages()).length === 0 && (await port.readPage(1)) === null, 'none at first');
      const page = Uint8Array.of(1, 2);
      await port.writePage(1, page);
      page.fill(9);
      await port.writePage(12, big);
      await port.writePage(12, Uint8Array.of(13));
      await port.writePage(2, Uint8Array.of());
      await port.writePage(3, big);
      await port.deletePage(3);
      await port.deletePage(3);
      await port.writePack(1, inParts(Uint8Array.of(11)));
      const subject = await reopen();
      demand(sameBytes(await subject.readPage(1), Uint8Array.of(1, 2)), 'a copy was kept');
      demand((await subject.readPage(1))?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      demand(sameBytes(await subject.readPage(12), Uint8Array.of(13)), 'the replaced one');
      demand((await subject.readPage(2))?.length === 0, 'an empty one');
      demand((await subject.readPage(3)) === null, 'null for a deleted one');
      demand([...(await subject.listPages())].sort((a, b) => a - b).join() === '1,2,12', 'all pages');
      demand((await subject.listPacks()).join() === '1', 'no page among the packs');
      demand(sameBytes(await readWhole(subject, 1), Uint8Array.of(11)), 'nor the other way round');
    },
  },
];

/** A server for the transport's contract, at any address. */
export interface TransportSubject {
  readonly transport: Transport;
  /**
   * Serves the paths that {@link transportContract} requires: /echo, /post, /status/418, /large, /redirect, /hang. /post
   * answers with the method, a space, and the body.
   */
  readonly baseUrl: string;
}

const ascii = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of body) text += String.fromCharCode(...chunk);
  return text;
};

async function read(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
}

const never = (): AbortSignal => new AbortController().signal;

/** Contract of transports. */
export const transportContract: readonly ContractCase<TransportSubject>[] = [
  {
    name: 'sends the headers and gives status, media type and body',
    check: async ({ transport, baseUrl }) => {
      const answer = await transport({ url: `${baseUrl}/echo`, headers: { 'Svc-Nonce': 'abc' }, signal: never() });
      demand(answer.status === 200 && answer.mediaType === 'application/vnd.svc.sync', 'status and media type');
      demand((await read(answer.body)) === 'abc'.length, 'the body is the header’s value');
    },
  },
  {
    name: 'posts a body, and gets without one',
    check: async ({ transport, baseUrl }) => {
      const asked = { url: `${baseUrl}/post`, headers: { 'content-type': 'application/json' }, signal: never() };
      const body = new TextEncoder().encode('xx{"a":1}').subarray(2);
      demand((await ascii((await transport({ ...asked, body })).body)) === 'POST {"a":1}', 'the very bytes');
      demand((await ascii((await transport({ ...asked, body: bytes() })).body)) === 'POST ', 'an empty body');
      demand((await ascii((await transport(asked)).body)) === 'GET ', 'no body');
    },
  },
  {
    name: 'any status is an answer',
    check: async ({ transport, baseUrl }) => {
      const answer = await transport({ url: `${baseUrl}/status/418`, headers: {}, signal: never() });
      demand(answer.status === 418, 'the status');
      await read(answer.body);
    },
  },
  {
    name: 'gives a large body in pieces',
    check: async ({ transport, baseUrl }) => {
      const answer = await transport({ url: `${baseUrl}/large`, headers: {}, signal: never() });
      demand((await read(answer.body)) === 1_000_000, 'a million bytes');
    },
  },
  {
    name: 'does not follow redirects',
    check: async ({ transport, baseUrl }) => {
      await demandRejection(transport({ url: `${baseUrl}/redirect`, headers: {}, signal: never() }), 'followed');
      const post = { url: `${baseUrl}/redirect`, headers: {}, body: bytes(1), signal: never() };
      await demandRejection(transport(post), 'followed with a POST');
    },
  },
  {
    name: 'rejects when nobody answers, and when aborted',
    check: async ({ transport, baseUrl }) => {
      await demandRejection(transport({ url: 'http://127.0.0.1:1/', headers: {}, signal: never() }), 'an answer');
      const abort = new AbortController();
      const hanging = transport({ url: `${baseUrl}/hang`, headers: {}, signal: abort.signal });
      abort.abort();
      await demandRejection(hanging, 'went on');
    },
  },
];
