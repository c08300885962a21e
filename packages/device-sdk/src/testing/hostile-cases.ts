import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  type DeltaInput,
  encodeDelta,
  encodePack,
  type PackInput,
  parseDelta,
  parseEnvelope,
  parsePack,
  recordSize,
} from '@svc/core/pack';
import { formatId, type SyncEpoch, uuidv7 } from '@svc/protocol';
import { toBase64Url } from '../bytes.ts';
import { generateDeviceKeyPair, rawPublicKey } from '../crypto/hpke.ts';
import type { TransportAnswer } from '../ports/transport.ts';
import { signingKeyId } from '../region.ts';
import type { SyncFailure } from '../sync/sync-result.ts';
import { DIMENSION, type Draft, type FakeService, syncAnswer } from './fake-service.ts';

/**
 * What a device that holds version 3 of its list is about to be answered: the whole list at version 4, the changes from 3 to 4 (a person new, one
 * erased), that nothing changed, or that it shall wipe.
 */
export type HonestAnswer = 'whole' | 'changes' | 'unchanged' | 'wipe';

/** One lie of a service, a thief of its key, or somebody in between; and the check that must catch it. */
export interface HostileCase {
  readonly name: string;
  readonly instead: HonestAnswer;
  /** Bends the service, which was honest until now. */
  readonly lie: (service: FakeService) => void;
  readonly reason: SyncFailure;
  /** The reason at a first sync, where nothing is held; null where the lie is none there, the same reason when left out. */
  readonly atFirst?: SyncFailure | null;
}

const size = recordSize(DIMENSION);
const other = (prefix: 'lst' | 'dev') => formatId(prefix, uuidv7(9, new Uint8Array(10).fill(9)));
const strangerSecret = new Uint8Array(32).fill(77);
const strangerKey = ed25519.getPublicKey(strangerSecret);
const text = (content: string) => new TextEncoder().encode(content);
const MEDIA_TYPE = 'application/vnd.svc.sync';

type Bend = (draft: Draft, service: FakeService) => void | Promise<void>;
type Bytes = (bytes: Uint8Array) => Uint8Array;
type Options = Pick<HostileCase, 'atFirst'> & { readonly instead?: HonestAnswer };

const bent = (
  name: string,
  reason: SyncFailure,
  bend: Bend,
  { instead = 'whole', ...over }: Options = {},
): HostileCase => ({
  name,
  instead,
  reason,
  lie: (service) => {
    service.bend = (draft) => bend(draft, service);
  },
  ...over,
});

/** Answers with something else than an honest envelope. */
const answered = (
  name: string,
  reason: SyncFailure,
  answer: (honest: () => Promise<Uint8Array>, service: FakeService) => Promise<TransportAnswer>,
  { instead = 'whole', ...over }: Options = {},
): HostileCase => ({
  name,
  instead,
  reason,
  lie: (service) => {
    service.answer = (honest) => answer(honest, service);
  },
  ...over,
});

const manifest =
  (change: (m: Draft['manifest']) => object): Bend =>
  (draft) => {
    draft.manifest = { ...draft.manifest, ...change(draft.manifest) };
  };
const manifestBytes =
  (change: (json: string) => Uint8Array): Bend =>
  (draft) => {
    draft.manifestBytes = change(JSON.stringify(draft.manifest));
  };
const body =
  (change: Bytes): Bend =>
  (draft) => {
    draft.body = change;
  };
const epochs = (change: (epoch: SyncEpoch) => object): Bend =>
  manifest((m) => ({ epochs: m.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));

/** Puts another payload under an otherwise honest manifest, and its hash into it. */
const repacked =
  (change: Bytes): Bend =>
  (draft) => {
    draft.payload = change(draft.payload);
    draft.manifest = { ...draft.manifest, payloadSha256: toBase64Url(sha256(draft.payload)) };
  };
const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
};
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

const packOf = (payload: Uint8Array): PackInput => {
  const { listId, listVersion, ...pack } = parsePack(payload);
  return { listId, listVersion, epochs: pack.epochs.map((epoch) => ({ ...epoch, records: [...epoch.records()] })) };
};
const edited = (change: (pack: PackInput) => PackInput): Bend =>
  repacked((payload) => encodePack(change(packOf(payload))));
const eachEpoch =
  (change: (epoch: PackInput['epochs'][number]) => object) =>
  (pack: PackInput): PackInput => ({
    ...pack,
    epochs: pack.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })),
  });
/** The manifest, too, says what the bent pack holds: only the keys can tell. */
const consistently =
  (bend: Bend): Bend =>
  async (draft, service) => {
    await bend(draft, service);
    const pack = parsePack(draft.payload);
    draft.manifest = { ...draft.manifest, stateHash: toBase64Url(pack.stateHash()), recordCount: pack.recordCount };
  };

const pieces = (bytes: Uint8Array, length: number) =>
  Array.from({ length: bytes.length / length }, (_, i) => bytes.slice(i * length, (i + 1) * length));
const editedDelta = (change: (delta: DeltaInput) => DeltaInput): Bend =>
  repacked((payload) => {
    const delta = parseDelta(payload);
    const unpacked = delta.epochs.map((epoch) => ({
      ...epoch,
      upserts: pieces(epoch.upserts, size),
      removals: pieces(epoch.removals, 16),
    }));
    return encodeDelta(change({ ...delta, epochs: unpacked }));
  });
const eachDelta =
  (change: (epoch: DeltaInput['epochs'][number]) => object) =>
  (delta: DeltaInput): DeltaInput => ({
    ...delta,
    epochs: delta.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })),
  });

/** Seals a list key wrongly, or a wrong one. */
const sealed = (
  seal: (o: { service: FakeService; own: Uint8Array; draft: Draft }) => Promise<SyncEpoch['sealedListKey']>,
): Bend => {
  return async (draft, service) => {
    const { 'Svc-Device-Key': key = '' } = service.requests.at(-1)?.headers ?? {};
    const own = new Uint8Array(Buffer.from(key, 'base64url'));
    const sealedListKey = await seal({ service, own, draft });
    await epochs(() => ({ sealedListKey }))(draft, service);
  };
};
const strangerPoint = async () => rawPublicKey(await generateDeviceKeyPair(false));
const firstKey = (draft: Draft): SyncEpoch['sealedListKey'] => {
  const [epoch] = draft.manifest.epochs;
  if (epoch === undefined) throw new Error('a list that is kept has an epoch');
  return epoch.sealedListKey;
};

const page = (over: Partial<TransportAnswer> = {}) =>
  syncAnswer(text('<html>Log in to the hotel</html>'), { mediaType: 'text/html', ...over });
const stream = (over: Partial<TransportAnswer>) => syncAnswer(new Uint8Array(), { contentLength: null, ...over });

/** Nothing of the service answered: other statuses, other types, bodies that do not end. */
const transport: readonly HostileCase[] = [
  answered('a captive portal’s page', 'unexpected-answer', async () => page()),
  answered('a captive portal’s page as a sync', 'envelope-invalid', async () => page({ mediaType: MEDIA_TYPE })),
  answered('a redirect', 'unexpected-answer', async () => page({ status: 302 })),
  answered('a 204', 'unexpected-answer', async () => page({ status: 204 })),
  answered('a 400', 'unexpected-answer', async () => page({ status: 400 })),
  answered('a 401', 'unauthorised', async () => page({ status: 401 })),
  answered('a 403', 'unauthorised', async () => page({ status: 403 })),
  answered('a 404', 'unexpected-answer', async () => page({ status: 404 })),
  answered('a 409', 'device-key-mismatch', async () => page({ status: 409 })),
  answered('a 429', 'rate-limited', async () => page({ status: 429 })),
  answered('a 500', 'server-error', async () => page({ status: 500 })),
  answered('an envelope under a 206', 'unexpected-answer', async (honest) =>
    syncAnswer(await honest(), { status: 206 }),
  ),
  answered('an envelope under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 })),
  answered('an envelope as plain text', 'unexpected-answer', async (honest) =>
    syncAnswer(await honest(), { mediaType: 'text/plain' }),
  ),
  answered('an envelope of no type', 'unexpected-answer', async (honest) =>
    syncAnswer(await honest(), { mediaType: '' }),
  ),
  answered('a broken connection', 'offline', () => Promise.reject(new Error('ECONNRESET'))),
  answered('an announced length over the cap', 'too-long', async () => stream({ contentLength: 2 ** 40 })),
  answered('a body that never ends', 'too-long', async () =>
    stream({
      body: (async function* () {
        for (;;) yield new Uint8Array(1_000_000);
      })(),
    }),
  ),
  answered('a body far longer than announced', 'too-long', async () =>
    stream({
      contentLength: 100,
      body: (async function* () {
        for (;;) yield new Uint8Array(1_000_000);
      })(),
    }),
  ),
  answered('a body that breaks off', 'offline', async (honest) => {
    const bytes = await honest();
    return stream({
      contentLength: bytes.length,
      body: (async function* () {
        yield bytes.subarray(0, bytes.length >> 1);
        throw new Error('reset');
      })(),
    });
  }),
];

/** Bytes that are no envelope. The honest one begins with 8 of magic, the kind, 4 of length, the manifest. */
const envelope: readonly HostileCase[] = [
  bent(
    'nothing',
    'envelope-invalid',
    body(() => new Uint8Array()),
  ),
  bent(
    'another magic',
    'envelope-invalid',
    body((bytes) => flip(bytes, 0)),
  ),
  bent(
    'a format of the future',
    'envelope-invalid',
    body((bytes) => flip(bytes, 7)),
  ),
  bent(
    'an envelope cut in its magic',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, 5)),
  ),
  bent(
    'an envelope cut in its lengths',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, 11)),
  ),
  bent(
    'an envelope cut in its manifest',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, 200)),
  ),
  bent(
    'a manifest that is longer than the body',
    'envelope-invalid',
    body((bytes) => flip(bytes, 9)),
  ),
  bent(
    'a manifest of no length',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(0, 9, 13)),
  ),
  bent(
    'a manifest above its cap',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(0x10, 10, 11)),
  ),
  bent(
    'a payload kind that is none',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(3, 8, 9)),
  ),
  bent(
    'a payload kind that was not signed',
    'signature-invalid',
    body((bytes) => bytes.slice().fill(2, 8, 9)),
  ),
  bent(
    'a payload beside «nothing follows»',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(0, 8, 9)),
  ),
  bent(
    'an envelope cut in its signature',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 1)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'an envelope cut before its signature',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 64)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'an envelope cut in its key’s name',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 70)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'a byte after «nothing follows»',
    'envelope-invalid',
    body((bytes) => joined(bytes, Uint8Array.of(0))),
    { instead: 'unchanged', atFirst: null },
  ),
];

/** The order of the group of Ed25519, little-endian (RFC 8032, section 5.1). */
const ORDER = Uint8Array.from(Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex'));

const signature: readonly HostileCase[] = [
  bent('an unsigned answer', 'signature-invalid', (draft) => {
    draft.sign = () => new Uint8Array(64);
  }),
  bent('a key that is not pinned', 'unknown-signing-key', (draft) => {
    draft.keyId = signingKeyId(strangerKey);
    draft.sign = (message) => ed25519.sign(message, strangerSecret);
  }),
  bent('another key under the pinned one’s name', 'signature-invalid', (draft) => {
    draft.sign = (message) => ed25519.sign(message, strangerSecret);
  }),
  bent('a signature over the manifest alone', 'signature-invalid', (draft, service) => {
    draft.sign = (message) => ed25519.sign(message.subarray(13), service.signingSecret);
  }),
  bent('a signature for another payload kind', 'signature-invalid', (draft, service) => {
    draft.sign = (message) => ed25519.sign(message.slice().fill(0, 12, 13), service.signingSecret);
  }),
  bent('a signature whose scalar was made another of the same residue', 'signature-invalid', (draft, service) => {
    draft.sign = (message) => {
      const signed = ed25519.sign(message, service.signingSecret).slice();
      let carry = 0;
      for (let i = 0; i < 32; i += 1) {
        const sum = (signed[32 + i] ?? 0) + (ORDER[i] ?? 0) + carry;
        signed[32 + i] = sum & 255;
        carry = sum >> 8;
      }
      return signed;
    };
  }),
  bent(
    'a flipped bit in the manifest',
    'signature-invalid',
    body((bytes) => flip(bytes, 40)),
  ),
];

const json = (change: (m: Record<string, unknown>) => object): Bend =>
  manifestBytes((honest) => text(JSON.stringify(change(JSON.parse(honest)))));

/** Signed, and yet no manifest. */
const manifests: readonly HostileCase[] = [
  bent(
    'a signed manifest that is no JSON',
    'manifest-invalid',
    manifestBytes((honest) => text(honest.slice(1))),
  ),
  bent(
    'a signed manifest with something after it',
    'manifest-invalid',
    manifestBytes((honest) => text(`${honest}{}`)),
  ),
  bent(
    'a signed manifest that is no UTF-8',
    'manifest-invalid',
    manifestBytes((honest) => joined(text(honest), Uint8Array.of(0xff))),
  ),
  bent(
    'a signed manifest behind a byte order mark',
    'manifest-invalid',
    manifestBytes((honest) => text(`\ufeff${honest}`)),
  ),
  bent(
    'a signed list',
    'manifest-invalid',
    json((m) => [m]),
  ),
  bent(
    'a manifest of the future',
    'manifest-invalid',
    json((m) => ({ ...m, format: 2 })),
  ),
  bent(
    'a command that is none',
    'manifest-invalid',
    json((m) => ({ ...m, command: 'hold' })),
  ),
  bent(
    'a reason beside «keep»',
    'manifest-invalid',
    json((m) => ({ ...m, reason: 'list-deleted' })),
  ),
  bent(
    'no epochs',
    'manifest-invalid',
    json((m) => ({ ...m, epochs: [] })),
  ),
  bent(
    'the same epoch twice',
    'manifest-invalid',
    manifest(({ epochs: [a] }) => ({ epochs: [a, a] })),
  ),
  bent(
    'epochs that rise',
    'manifest-invalid',
    manifest(({ epochs: [a] }) => ({ epochs: [a, { ...a, epoch: 2 }] })),
  ),
  bent(
    'versions that fall',
    'manifest-invalid',
    manifest(({ toVersion }) => ({ fromVersion: toVersion + 1 })),
  ),
  bent(
    'a version that is no safe integer',
    'manifest-invalid',
    json((m) => ({ ...m, toVersion: 2 ** 53 })),
  ),
  bent(
    'a version as text',
    'manifest-invalid',
    json((m) => ({ ...m, toVersion: '4' })),
  ),
  bent(
    'a count below zero',
    'manifest-invalid',
    json((m) => ({ ...m, recordCount: -1 })),
  ),
  bent(
    'a hash with padding',
    'manifest-invalid',
    manifest((m) => ({ payloadSha256: `${m.payloadSha256}=` })),
  ),
  bent(
    'a hash in the other base64',
    'manifest-invalid',
    manifest(() => ({ payloadSha256: '+'.repeat(43) })),
  ),
  bent(
    'no state hash',
    'manifest-invalid',
    manifest(() => ({ stateHash: '' })),
  ),
  bent(
    'a date that is none',
    'manifest-invalid',
    manifest(() => ({ issuedAt: '2030-02-30T00:00:00.000Z' })),
  ),
  bent(
    'a time of another zone',
    'manifest-invalid',
    manifest(() => ({ issuedAt: '2030-01-01T12:00:00.000+02:00' })),
  ),
  bent(
    'a lease of more than a day',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({
      leaseExpiresAt: new Date(Date.parse(issuedAt) + 24 * 60 * 60_000 + 1).toISOString(),
    })),
  ),
  bent(
    'an issue in the past under a lease of today',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({
      issuedAt: new Date(Date.parse(issuedAt) - 1).toISOString(),
    })),
  ),
  bent(
    'an issue in the future, behind its lease',
    'manifest-expired',
    manifest(({ leaseExpiresAt }) => ({
      issuedAt: leaseExpiresAt,
    })),
  ),
  bent(
    'a lease that is over',
    'manifest-expired',
    manifest(({ issuedAt }) => ({ leaseExpiresAt: issuedAt })),
  ),
];

/** Honest once, or for somebody else. */
const addressee: readonly HostileCase[] = [
  bent(
    'another device’s key',
    'other-device',
    manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(strangerKey)) })),
  ),
  bent(
    'another device’s id',
    'other-device',
    manifest(() => ({ deviceId: other('dev') })),
    {
      atFirst: 'list-key-unopenable',
    },
  ),
  bent(
    'another list',
    'other-list',
    manifest(() => ({ listId: other('lst') })),
    { atFirst: 'pack-invalid' },
  ),
  bent(
    'another nonce',
    'other-nonce',
    manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) })),
  ),
  bent(
    'the nonce written with stray bits',
    'other-nonce',
    manifest(({ nonce }) => ({ nonce: `${nonce.slice(0, -1)}B` })),
  ),
  answered(
    'the answer of the last sync again, frozen',
    'other-nonce',
    async (_honest, service) => syncAnswer(service.answered[0] ?? new Uint8Array()),
    { atFirst: null },
  ),
  answered('the answer to another device', 'other-device', async (_honest, service) => {
    const key = toBase64Url(await strangerPoint());
    const { 'Svc-Nonce': nonce = '' } = service.requests.at(-1)?.headers ?? {};
    return syncAnswer(await service.respond(0, key, nonce));
  }),
  bent(
    'an older version',
    'version-rolled-back',
    manifest(() => ({ toVersion: 2 })),
    { atFirst: 'pack-invalid' },
  ),
  bent(
    'the version held, with another state',
    'version-conflict',
    manifest(() => ({ toVersion: 3 })),
    {
      atFirst: null,
    },
  ),
  bent(
    'no version',
    'version-rolled-back',
    manifest(() => ({ toVersion: 0 })),
    { atFirst: 'pack-invalid' },
  ),
];

/** Bytes of an envelope before its payload. */
const headLength = (bytes: Uint8Array) => bytes.length - parseEnvelope(bytes).payload.length;

/** A whole pack that is not what the manifest says. Its records are its last bytes. */
const whole: readonly HostileCase[] = [
  bent('a flipped bit in a record', 'payload-hash-mismatch', (draft) => {
    draft.payload = flip(draft.payload, -5);
  }),
  bent(
    'a payload cut short',
    'payload-hash-mismatch',
    body((bytes) => bytes.subarray(0, bytes.length - 1)),
  ),
  bent(
    'a byte too many',
    'payload-hash-mismatch',
    body((bytes) => joined(bytes, Uint8Array.of(0))),
  ),
  bent('no payload where there should be one', 'payload-hash-mismatch', (draft) => {
    draft.payload = new Uint8Array();
  }),
  answered(
    'the payload of the last sync under a new manifest',
    'payload-hash-mismatch',
    async (honest, service) => {
      const [now, before] = [await honest(), service.answered[0] ?? new Uint8Array()];
      return syncAnswer(joined(now.subarray(0, headLength(now)), before.subarray(headLength(before))));
    },
    { atFirst: null },
  ),
  bent(
    'a whole pack that begins at a version',
    'base-mismatch',
    manifest(({ toVersion }) => ({ fromVersion: toVersion - 1 })),
  ),
  bent(
    'a payload that is no pack',
    'pack-invalid',
    repacked(() => new Uint8Array(400)),
  ),
  bent(
    'a pack of no bytes',
    'pack-invalid',
    repacked(() => new Uint8Array()),
  ),
  bent(
    'a pack cut in its head',
    'pack-invalid',
    repacked((payload) => payload.slice(0, 20)),
  ),
  bent(
    'a pack cut in its epoch',
    'pack-invalid',
    repacked((payload) => payload.slice(0, 60)),
  ),
  bent(
    'a pack cut in its records',
    'pack-invalid',
    repacked((payload) => payload.slice(0, -1)),
  ),
  bent(
    'a pack with a byte too many',
    'pack-invalid',
    repacked((payload) => joined(payload, Uint8Array.of(0))),
  ),
  bent(
    'a pack of another list',
    'pack-invalid',
    edited((pack) => ({ ...pack, listId: other('lst') })),
  ),
  bent(
    'a pack of another version',
    'pack-invalid',
    edited((pack) => ({ ...pack, listVersion: 9 })),
  ),
  bent(
    'a pack without its epoch',
    'pack-invalid',
    edited((pack) => ({ ...pack, epochs: [] })),
  ),
  bent('a pack of another epoch', 'pack-invalid', edited(eachEpoch(() => ({ epoch: 2 })))),
  bent(
    'a record count that lies',
    'pack-invalid',
    manifest(() => ({ recordCount: 1 })),
  ),
  bent(
    'another engine than the pack’s',
    'pack-invalid',
    epochs(() => ({ engineId: 'other/1' })),
  ),
  bent(
    'another dimension than the pack’s',
    'pack-invalid',
    epochs(() => ({ dimension: DIMENSION + 1 })),
  ),
  bent(
    'records of another length',
    'pack-invalid',
    edited(
      eachEpoch(({ records, checkRecord }) => ({
        dimension: DIMENSION + 1,
        checkRecord: joined(checkRecord, new Uint8Array(2)),
        records: records.map((record) => joined(record, new Uint8Array(2))),
      })),
    ),
  ),
  bent(
    'records out of order',
    'pack-invalid',
    repacked((payload) => joined(payload.slice(0, -2 * size), payload.slice(-size), payload.slice(-2 * size, -size))),
  ),
  bent(
    'a record twice',
    'pack-invalid',
    repacked((payload) => joined(payload.slice(0, -2 * size), payload.slice(-size), payload.slice(-size))),
  ),
  bent(
    'a deadline that no reader can read',
    'pack-invalid',
    repacked((payload) => payload.slice().fill(255, payload.length - size + 16, payload.length - size + 17)),
  ),
  bent(
    'a flipped bit in a record, hashed anew',
    'state-hash-mismatch',
    repacked((payload) => flip(payload, -5)),
  ),
  bent(
    'two people’s records swapped',
    'state-hash-mismatch',
    edited(
      eachEpoch(({ records: [a = new Uint8Array(), b = new Uint8Array(), ...rest] }) => ({
        records: [joined(a.slice(0, 16), b.slice(16)), joined(b.slice(0, 16), a.slice(16)), ...rest],
      })),
    ),
  ),
  bent('a record left out, and counted so', 'state-hash-mismatch', async (draft, service) => {
    await edited(eachEpoch(({ records }) => ({ records: records.slice(1) })))(draft, service);
    await manifest(({ recordCount }) => ({ recordCount: recordCount - 1 }))(draft, service);
  }),
  bent(
    'a longer stay for somebody',
    'state-hash-mismatch',
    repacked((payload) => flip(payload, 20 - size)),
  ),
  bent(
    'another state hash',
    'state-hash-mismatch',
    manifest(() => ({ stateHash: toBase64Url(new Uint8Array(32)) })),
  ),
  bent(
    'the state hash written with stray bits',
    'state-hash-mismatch',
    manifest(({ stateHash }) => ({ stateHash: `${stateHash.slice(0, -1)}_` })),
  ),
];

/** Changes that do not lead from what is held to what the manifest says. */
const changes: readonly HostileCase[] = (
  [
    ['changes of no bytes', 'delta-invalid', repacked(() => new Uint8Array())],
    ['changes that are none', 'delta-invalid', repacked(() => new Uint8Array(300))],
    ['changes cut in their head', 'delta-invalid', repacked((payload) => payload.slice(0, 30))],
    ['changes cut in their epoch', 'delta-invalid', repacked((payload) => payload.slice(0, 100))],
    ['changes cut in a removal', 'delta-invalid', repacked((payload) => payload.slice(0, -1))],
    ['changes with a byte too many', 'delta-invalid', repacked((payload) => joined(payload, Uint8Array.of(0)))],
    [
      'changes hashed otherwise',
      'payload-hash-mismatch',
      (draft: Draft) => {
        draft.payload = flip(draft.payload, -1);
      },
    ],
    ['changes from a version that is not held', 'base-mismatch', manifest(() => ({ fromVersion: 2 }))],
    ['changes from no version', 'base-mismatch', manifest(() => ({ fromVersion: 0 }))],
    [
      'changes whose base is not the manifest’s',
      'base-mismatch',
      editedDelta((delta) => ({ ...delta, fromVersion: 2 })),
    ],
    ['changes that lead elsewhere', 'delta-invalid', editedDelta((delta) => ({ ...delta, toVersion: 9 }))],
    ['changes of another list', 'delta-invalid', editedDelta((delta) => ({ ...delta, listId: other('lst') }))],
    ['changes to another engine', 'delta-invalid', editedDelta(eachDelta(() => ({ engineId: 'other/1' })))],
    [
      'changes of the check record',
      'delta-invalid',
      editedDelta(eachDelta(({ checkRecord }) => ({ checkRecord: flip(checkRecord, -1) }))),
    ],
    ['changes to another epoch', 'delta-invalid', editedDelta(eachDelta(() => ({ epoch: 2 })))],
    [
      'changes that end the epoch',
      'pack-invalid',
      async (draft: Draft, service: FakeService) => {
        await editedDelta((delta) => ({ ...delta, epochs: [] }))(draft, service);
        await manifest(() => ({ recordCount: 0 }))(draft, service);
      },
    ],
    ['changes without the new record', 'delta-invalid', editedDelta(eachDelta(() => ({ upserts: [] })))],
    ['changes without the removal', 'delta-invalid', editedDelta(eachDelta(() => ({ removals: [] })))],
    [
      'changes that keep the erased, and count so',
      'state-hash-mismatch',
      async (draft: Draft, service: FakeService) => {
        await editedDelta(eachDelta(({ recordCount }) => ({ removals: [], recordCount: recordCount + 1 })))(
          draft,
          service,
        );
        await manifest(({ recordCount }) => ({ recordCount: recordCount + 1 }))(draft, service);
      },
    ],
    [
      'changes that remove somebody else instead',
      'delta-invalid',
      editedDelta(eachDelta(({ removals }) => ({ removals: removals.map((tag) => flip(tag, 0)) }))),
    ],
    [
      'changes that are announced as more records',
      'delta-invalid',
      editedDelta(eachDelta(({ recordCount }) => ({ recordCount: recordCount + 1 }))),
    ],
    [
      'a new record with a flipped bit',
      'state-hash-mismatch',
      editedDelta(eachDelta(({ upserts }) => ({ upserts: upserts.map((record) => flip(record, -1)) }))),
    ],
    [
      'a new record twice',
      'delta-invalid',
      repacked((payload) => {
        // One upsert and one removal are its last bytes; the counts stand before them.
        const at = payload.length - 16 - size;
        const record = payload.slice(at, at + size);
        const twice = joined(payload.slice(0, at), record, record, payload.slice(-16));
        return twice.fill(2, at - 5, at - 4);
      }),
    ],
    [
      'a new record that is removed too',
      'delta-invalid',
      repacked((payload) => {
        const at = payload.length - 16 - size;
        return joined(payload.slice(0, -16), payload.slice(at, at + 16));
      }),
    ],
    [
      'a removal twice',
      'delta-invalid',
      repacked((payload) => {
        const at = payload.length - 16 - size;
        return joined(payload, payload.slice(-16)).fill(2, at - 1, at);
      }),
    ],
    ['a count that lies', 'pack-invalid', manifest(() => ({ recordCount: 9 }))],
    [
      'another state hash after changes',
      'state-hash-mismatch',
      manifest(() => ({ stateHash: toBase64Url(sha256(strangerKey)) })),
    ],
    [
      'changes as a whole pack',
      'base-mismatch',
      (draft: Draft) => {
        draft.payloadKind = 1;
      },
    ],
    [
      'changes as a whole pack from no version',
      'pack-invalid',
      async (draft: Draft, service: FakeService) => {
        draft.payloadKind = 1;
        await manifest(() => ({ fromVersion: 0 }))(draft, service);
      },
    ],
    [
      'a whole pack as changes',
      'delta-invalid',
      async (draft: Draft, service: FakeService) => {
        await repacked(() => service.newestPack)(draft, service);
      },
    ],
  ] as const
).map(([name, reason, bend]) => bent(name, reason, bend, { instead: 'changes', atFirst: null }));

const nothing: readonly HostileCase[] = [
  bent('«unchanged» for a version that is not held', 'base-mismatch', (draft) => {
    draft.payloadKind = 0;
    draft.payload = new Uint8Array();
    const { toVersion } = draft.manifest;
    draft.manifest = { ...draft.manifest, fromVersion: toVersion, payloadSha256: toBase64Url(sha256(draft.payload)) };
  }),
  bent(
    '«unchanged» that leads to a version of its own',
    'base-mismatch',
    manifest(({ toVersion }) => ({ toVersion: toVersion + 1 })),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    '«unchanged» with another state',
    'version-conflict',
    manifest(() => ({ stateHash: toBase64Url(sha256(strangerKey)) })),
    {
      instead: 'unchanged',
      atFirst: null,
    },
  ),
  bent(
    '«unchanged» with another engine',
    'pack-invalid',
    epochs(() => ({ engineId: 'other/1' })),
    {
      instead: 'unchanged',
      atFirst: null,
    },
  ),
  bent(
    '«unchanged» with the hash of something',
    'payload-hash-mismatch',
    manifest(() => ({
      payloadSha256: toBase64Url(sha256(strangerKey)),
    })),
    { instead: 'unchanged', atFirst: null },
  ),
];

/** The last checks: does the key open, and does it open the pack. */
const keys: readonly HostileCase[] = [
  bent(
    'a list key sealed to another device',
    'list-key-unopenable',
    sealed(async ({ service }) => service.sealTo(await strangerPoint(), service.newest.listKey, 1)),
  ),
  bent(
    'a list key sealed for another device’s id',
    'list-key-unopenable',
    sealed(({ service, own }) => service.sealTo(own, service.newest.listKey, 1, other('dev'))),
  ),
  bent(
    'a list key sealed for another epoch',
    'list-key-unopenable',
    sealed(({ service, own }) => service.sealTo(own, service.newest.listKey, 2)),
  ),
  bent(
    'a list key that is no key',
    'list-key-unopenable',
    sealed(async ({ draft }) => ({ ...firstKey(draft), ciphertext: toBase64Url(new Uint8Array(48)) })),
  ),
  bent(
    'a key exchange with no point',
    'list-key-unopenable',
    sealed(async ({ draft }) => ({ ...firstKey(draft), enc: toBase64Url(new Uint8Array(65).fill(4)) })),
  ),
  bent(
    'a sealed key of another length',
    'manifest-invalid',
    sealed(async ({ draft }) => ({ ...firstKey(draft), ciphertext: toBase64Url(new Uint8Array(47)) })),
  ),
  bent(
    'another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
  ),
  bent(
    '«unchanged» with another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'changes with another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
    { instead: 'changes', atFirst: null },
  ),
  bent(
    'a check record of nobody’s key',
    'check-record-unopenable',
    consistently(edited(eachEpoch(({ checkRecord }) => ({ checkRecord: flip(checkRecord, -1) })))),
  ),
  bent(
    'somebody’s record in the place of the check record',
    'check-record-unopenable',
    consistently(edited(eachEpoch(({ records: [record] }) => ({ checkRecord: record })))),
  ),
];

/** Nobody but the service, to this device and now, may order a wipe. */
const wipes: readonly HostileCase[] = (
  [
    [
      'a wipe without a signature',
      'signature-invalid',
      (draft: Draft) => {
        draft.sign = () => new Uint8Array(64);
      },
    ],
    [
      'a wipe by a stranger’s key',
      'unknown-signing-key',
      (draft: Draft) => {
        draft.keyId = signingKeyId(strangerKey);
        draft.sign = (message) => ed25519.sign(message, strangerSecret);
      },
    ],
    [
      'a wipe for another device’s key',
      'other-device',
      manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(strangerKey)) })),
    ],
    ['a wipe to an older question', 'other-nonce', manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) }))],
    ['a wipe without a reason', 'manifest-invalid', json(({ reason: _reason, ...m }) => m)],
    ['a wipe for a reason that is none', 'manifest-invalid', json((m) => ({ ...m, reason: 'because' }))],
    ['a wipe at a version', 'manifest-invalid', manifest(() => ({ toVersion: 9 }))],
    ['a wipe with records', 'manifest-invalid', manifest(() => ({ recordCount: 1 }))],
    ['a wipe cut short', 'envelope-invalid', body((bytes) => bytes.subarray(0, bytes.length - 1))],
    ['a wipe with something after it', 'envelope-invalid', body((bytes) => joined(bytes, Uint8Array.of(1)))],
    [
      'a wipe with a payload',
      'envelope-invalid',
      (draft: Draft) => {
        draft.payloadKind = 1;
        draft.payload = Uint8Array.of(1);
      },
    ],
  ] as const
).map(([name, reason, bend]) => bent(name, reason, bend, { instead: 'wipe' }));

const otherWipes: readonly HostileCase[] = [
  // At a first sync nothing is known yet of which device and list the token is.
  bent(
    'a wipe for another device’s id',
    'other-device',
    manifest(() => ({ deviceId: other('dev') })),
    {
      instead: 'wipe',
      atFirst: null,
    },
  ),
  bent(
    'a wipe for another list',
    'other-list',
    manifest(() => ({ listId: other('lst') })),
    {
      instead: 'wipe',
      atFirst: null,
    },
  ),
  answered('a wipe under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 }), {
    instead: 'wipe',
  }),
  answered('a wipe under a 503', 'server-error', async (honest) => syncAnswer(await honest(), { status: 503 }), {
    instead: 'wipe',
  }),
  answered(
    'a wipe as a web page',
    'unexpected-answer',
    async (honest) => syncAnswer(await honest(), { mediaType: 'text/html' }),
    { instead: 'wipe' },
  ),
];

/**
 * The sync conformance suite: every lie that we know of, each with the check that must catch it. A device refuses each for this reason, keeps
 * nothing of it, and verifies as before.
 */
export const hostileCases: readonly HostileCase[] = [
  ...transport,
  ...envelope,
  ...signature,
  ...manifests,
  ...addressee,
  ...whole,
  ...changes,
  ...nothing,
  ...keys,
  ...wipes,
  ...otherWipes,
];
