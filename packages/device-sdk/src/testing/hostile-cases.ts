import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
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
import { toBase64Url } from '../platform/bytes.ts';
import type { TransportAnswer } from '../platform/transport.ts';
import { generateDeviceKeyPair, rawPublicKey } from '../storage/hpke.ts';
import type { SyncFailure } from '../sync/sync-result.ts';
import { signingKeyId } from '../trust/region.ts';
import { DIMENSION, type Draft, type FakeService, syncAnswer } from './fake-service.ts';

/**
 * The honest answer to a device that holds version 3: the whole list at version 4, the changes from 3 to 4 (one new
 * person, one erased), no change, or a wipe.
 */
export type HonestAnswer = 'whole' | 'changes' | 'unchanged' | 'wipe';

/** One lie of a service, a key thief or a man in the middle, and the check that must detect it. */
export interface HostileCase {
  readonly name: string;
  readonly instead: HonestAnswer;
  /** Makes the service, honest until now, lie. */
  readonly lie: (service: FakeService) => void;
  readonly reason: SyncFailure;
}

/** Turns an honest draft into a lie. */
type Bend = (draft: Draft, service: FakeService) => void | Promise<void>;
type Answer = (honest: () => Promise<Uint8Array>, service: FakeService) => Promise<TransportAnswer>;
type Bytes = (bytes: Uint8Array) => Uint8Array;
type Options = { readonly instead?: HonestAnswer };
type Row<Lie> = readonly [name: string, reason: SyncFailure, lie: Lie, options?: Options];

/** Envelopes whose draft is changed before it is signed. */
const bent = (rows: readonly Row<Bend>[], common: Options = {}): HostileCase[] =>
  rows.map(([name, reason, bend, options]) => ({
    ...{ name, reason, instead: 'whole', ...common, ...options },
    lie: (service) => {
      service.bend = (draft) => bend(draft, service);
    },
  }));

/** Something other than an honest envelope. */
const answered = (rows: readonly Row<Answer>[]): HostileCase[] =>
  rows.map(([name, reason, answer, options]) => ({
    ...{ name, reason, instead: 'whole', ...options },
    lie: (service) => {
      service.answer = (honest) => answer(honest, service);
    },
  }));

const text = (content: string) => new TextEncoder().encode(content);

/** Flips the lowest bit of a byte; a negative index counts from the end. */
const flip = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, i) => (i === (at < 0 ? bytes.length + at : at) ? byte ^ 1 : byte));

/** Id of another list or device than the one under test. */
export const other = (prefix: 'lst' | 'dev') => formatId(prefix, uuidv7(9, new Uint8Array(10).fill(9)));

/** An Ed25519 key pair that the device does not trust. */
const foreignSecret = new Uint8Array(32).fill(77);
const foreignKey = ed25519.getPublicKey(foreignSecret);
const foreignHash = toBase64Url(sha256(foreignKey));

/** Replaces parts of the draft. */
const draft =
  (change: (honest: Draft, service: FakeService) => Partial<Draft>): Bend =>
  (honest, service) =>
    void Object.assign(honest, change(honest, service));
const manifest = (change: (m: Draft['manifest']) => object): Bend =>
  draft(({ manifest: m }) => ({ manifest: { ...m, ...change(m) } }));
/** Replaces the manifest’s JSON bytes. */
const manifestBytes = (change: (json: string) => Uint8Array): Bend =>
  draft(({ manifest: m }) => ({ manifestBytes: change(JSON.stringify(m)) }));
const epochs = (change: (epoch: SyncEpoch) => object): Bend =>
  manifest((m) => ({ epochs: m.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));
/** Changes the bytes of the signed envelope. */
const body = (change: Bytes): Bend => draft(() => ({ body: change }));
const payload = (change: Bytes): Bend => draft((honest) => ({ payload: change(honest.payload) }));
const signed = (sign: (message: Uint8Array, secret: Uint8Array) => Uint8Array): Bend =>
  draft((_, { signingSecret }) => ({ sign: (message) => sign(message, signingSecret) }));
const both =
  (...bends: readonly Bend[]): Bend =>
  async (honest, service) => {
    for (const bend of bends) await bend(honest, service);
  };

/** Replaces the payload of an honest manifest, with its hash. */
const repacked = (change: Bytes): Bend =>
  draft(({ payload: bytes, manifest: m }) => {
    const next = change(bytes);
    return { payload: next, manifest: { ...m, payloadSha256: toBase64Url(sha256(next)) } };
  });

const RECORD_BYTES = recordSize(DIMENSION);

/** Another well-formed pack. */
const edited = (change: (pack: PackInput) => PackInput): Bend =>
  repacked((bytes) => {
    const { listId, listVersion, ...pack } = parsePack(bytes);
    const read = pack.epochs.map((epoch) => ({ ...epoch, records: [...epoch.records()] }));
    return encodePack(change({ listId, listVersion, epochs: read }));
  });
const eachEpoch = (change: (epoch: PackInput['epochs'][number]) => object): Bend =>
  edited((pack) => ({ ...pack, epochs: pack.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));

const pieces = (bytes: Uint8Array, length: number) =>
  Array.from({ length: bytes.length / length }, (_, i) => bytes.slice(i * length, (i + 1) * length));
/** Other well-formed changes. */
const editedDelta = (change: (delta: DeltaInput) => DeltaInput): Bend =>
  repacked((bytes) => {
    const delta = parseDelta(bytes);
    const unpacked = delta.epochs.map((epoch) => ({
      ...epoch,
      upserts: pieces(epoch.upserts, RECORD_BYTES),
      removals: pieces(epoch.removals, 16),
    }));
    return encodeDelta(change({ ...delta, epochs: unpacked }));
  });
const eachDelta = (change: (epoch: DeltaInput['epochs'][number]) => object): Bend =>
  editedDelta((delta) => ({ ...delta, epochs: delta.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));

/** Of answers to a device that is up to date, and of changes. */
const held: Options = { instead: 'unchanged' };
const changing: Options = { instead: 'changes' };
const wiping: Options = { instead: 'wipe' };

/** The order of the group of Ed25519, little-endian (RFC 8032, section 5.1). */
const ORDER = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');

/** The same signature by another scalar of the same residue. */
function malleable(signature: Uint8Array): Uint8Array {
  let carry = 0;
  return signature.map((byte, i) => {
    carry += i < 32 ? 0 : byte + (ORDER[i - 32] ?? 0);
    const sum = i < 32 ? byte : carry & 255;
    carry >>= 8;
    return sum;
  });
}

/** Not an envelope, unsigned, signed by another key, or over other data. What is no envelope else, core's tests list; what is
 * no answer of the service, those of fetch-answer.ts. */
const signatureCases = bent([
  ['nothing', 'envelope-invalid', body(() => new Uint8Array())],
  ['a payload kind that was not signed', 'signature-invalid', body((bytes) => bytes.slice().fill(2, 8, 9))],
  ['an unsigned answer', 'signature-invalid', signed(() => new Uint8Array(64))],
  [
    'a key that is not pinned',
    'unknown-signing-key',
    both(
      draft(() => ({ keyId: signingKeyId(foreignKey) })),
      signed((message) => ed25519.sign(message, foreignSecret)),
    ),
  ],
  [
    'a signature over the manifest alone',
    'signature-invalid',
    signed((message, secret) => ed25519.sign(message.subarray(13), secret)),
  ],
  [
    'a signature whose scalar was made another of the same residue',
    'signature-invalid',
    signed((message, secret) => malleable(ed25519.sign(message, secret))),
  ],
]);

const isoPlus = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
const DAY_MS = 24 * 60 * 60_000;

/** Signed, but not a valid manifest. What the schema refuses else, the protocol's tests list. */
const manifestCases = bent([
  [
    'a signed manifest that is no UTF-8',
    'manifest-invalid',
    manifestBytes((honest) => concatBytes(text(honest), Uint8Array.of(0xff))),
  ],
  [
    'a signed manifest behind a byte order mark',
    'manifest-invalid',
    manifestBytes((honest) => text(`\ufeff${honest}`)),
  ],
  ['a manifest of the future', 'manifest-invalid', manifest(() => ({ format: 2 }))],
  [
    'a lease of more than a day',
    'manifest-invalid',
    manifest(({ issuedAt }) => ({ leaseExpiresAt: isoPlus(issuedAt, DAY_MS + 1) })),
  ],
  [
    'an issue in the future, behind its lease',
    'manifest-expired',
    manifest(({ leaseExpiresAt }) => ({ issuedAt: leaseExpiresAt })),
  ],
  ['a lease that is over', 'manifest-expired', manifest(({ issuedAt }) => ({ leaseExpiresAt: issuedAt }))],
]);

/** Honest answers, but to another request or device. */
const addresseeCases = [
  ...bent([
    ['another device’s key', 'other-device', manifest(() => ({ deviceKeyThumbprint: foreignHash }))],
    ['another device’s id', 'other-device', manifest(() => ({ deviceId: other('dev') }))],
    ['another list', 'other-list', manifest(() => ({ listId: other('lst') }))],
    ['another nonce', 'other-nonce', manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) }))],
    [
      'the nonce written with stray bits',
      'other-nonce',
      manifest(({ nonce }) => ({ nonce: `${nonce.slice(0, -1)}B` })),
    ],
    ['an older version', 'version-rolled-back', manifest(() => ({ toVersion: 2 }))],
    ['the version held, with another state', 'version-conflict', manifest(() => ({ toVersion: 3 }))],
  ]),
  ...answered([
    [
      'the answer of the last sync again, frozen',
      'other-nonce',
      async (_honest, service) => syncAnswer(service.answered[0] ?? new Uint8Array()),
    ],
    [
      'the answer to another device',
      'other-device',
      async (_honest, service) => {
        const { 'Svc-Nonce': nonce = '' } = service.requests.at(-1)?.headers ?? {};
        return syncAnswer(await service.respond(0, toBase64Url(await foreignPoint()), nonce));
      },
    ],
  ]),
];

/** The raw P-256 public key of another device. */
async function foreignPoint(): Promise<Uint8Array> {
  return rawPublicKey(await generateDeviceKeyPair(false));
}

/** Bytes of an envelope before its payload. */
const headLength = (bytes: Uint8Array) => bytes.length - parseEnvelope(bytes).payload.length;

/** A whole pack that differs from its manifest. Its last bytes are records. */
const wholePackCases = [
  ...bent([
    ['no payload where there should be one', 'payload-hash-mismatch', payload(() => new Uint8Array())],
    [
      'a whole pack that begins at a version',
      'base-mismatch',
      manifest(({ toVersion }) => ({ fromVersion: toVersion - 1 })),
    ],
    ['a payload that is no pack', 'pack-invalid', repacked(() => new Uint8Array(400))],
    ['a pack of another list', 'pack-invalid', edited((pack) => ({ ...pack, listId: other('lst') }))],
    ['a pack without its epoch', 'pack-invalid', edited((pack) => ({ ...pack, epochs: [] }))],
    ['a record count that lies', 'pack-invalid', manifest(() => ({ recordCount: 1 }))],
    ['another engine than the pack’s', 'pack-invalid', epochs(() => ({ engineId: 'other/1' }))],
    [
      'two people’s records swapped',
      'state-hash-mismatch',
      eachEpoch(({ records: [a = new Uint8Array(), b = new Uint8Array(), ...rest] }) => ({
        records: [concatBytes(a.slice(0, 16), b.slice(16)), concatBytes(b.slice(0, 16), a.slice(16)), ...rest],
      })),
    ],
    ['another state hash', 'state-hash-mismatch', manifest(() => ({ stateHash: foreignHash }))],
    [
      'the state hash written with stray bits',
      'state-hash-mismatch',
      manifest(({ stateHash }) => ({ stateHash: `${stateHash.slice(0, -1)}_` })),
    ],
  ]),
  ...answered([
    [
      'the payload of the last sync under a new manifest',
      'payload-hash-mismatch',
      async (honest, service) => {
        const [now, before] = [await honest(), service.answered[0] ?? new Uint8Array()];
        return syncAnswer(concatBytes(now.subarray(0, headLength(now)), before.subarray(headLength(before))));
      },
    ],
  ]),
];

/** Changes that do not lead from the held pack to the manifest's. What are no changes, core's tests list. */
const changesCases = bent(
  [
    ['changes that are none', 'delta-invalid', repacked(() => new Uint8Array(300))],
    ['changes from a version that is not held', 'base-mismatch', manifest(() => ({ fromVersion: 2 }))],
    [
      'changes whose base is not the manifest’s',
      'base-mismatch',
      editedDelta((delta) => ({ ...delta, fromVersion: 2 })),
    ],
    ['changes that lead elsewhere', 'delta-invalid', editedDelta((delta) => ({ ...delta, toVersion: 9 }))],
    [
      'changes that keep the erased, and count so',
      'state-hash-mismatch',
      both(
        eachDelta(({ recordCount }) => ({ removals: [], recordCount: recordCount + 1 })),
        manifest(({ recordCount }) => ({ recordCount: recordCount + 1 })),
      ),
    ],
    ['another state hash after changes', 'state-hash-mismatch', manifest(() => ({ stateHash: foreignHash }))],
    [
      'changes as a whole pack from no version',
      'pack-invalid',
      both(
        draft(() => ({ payloadKind: 1 })),
        manifest(() => ({ fromVersion: 0 })),
      ),
    ],
    [
      'a whole pack as changes',
      'delta-invalid',
      (honest, service) => repacked(() => service.newestPack)(honest, service),
    ],
  ],
  changing,
);

/** “Nothing changed”, although something did. */
const unchangedCases = bent([
  [
    '“unchanged” for a version that is not held',
    'base-mismatch',
    both(
      draft(() => ({ payloadKind: 0 })),
      repacked(() => new Uint8Array()),
      manifest(({ toVersion }) => ({ fromVersion: toVersion })),
    ),
  ],
  [
    '“unchanged” that leads to a version of its own',
    'base-mismatch',
    manifest(({ toVersion }) => ({ toVersion: toVersion + 1 })),
    held,
  ],
  ['“unchanged” with another engine', 'pack-invalid', epochs(() => ({ engineId: 'other/1' })), held],
]);

/** Seals a list key wrongly, or a wrong one. */
const sealed =
  (seal: (service: FakeService, own: Uint8Array) => Promise<SyncEpoch['sealedListKey']>): Bend =>
  async (honest, service) => {
    const { 'Svc-Device-Key': key = '' } = service.requests.at(-1)?.headers ?? {};
    const sealedListKey = await seal(service, new Uint8Array(Buffer.from(key, 'base64url')));
    await epochs(() => ({ sealedListKey }))(honest, service);
  };
const anotherListsKey = sealed((service, own) => service.sealTo(own, new Uint8Array(32).fill(1), 1));

/** The last checks: the key opens, and it opens the pack. */
const listKeyCases = bent([
  [
    'a list key sealed to another device',
    'list-key-unopenable',
    sealed(async (service) => service.sealTo(await foreignPoint(), service.newest.listKey, 1)),
  ],
  [
    'a list key sealed for another device’s id',
    'list-key-unopenable',
    sealed((service, own) => service.sealTo(own, service.newest.listKey, 1, other('dev'))),
  ],
  ['another list’s key', 'check-record-unopenable', anotherListsKey],
  [
    // The manifest matches the modified pack: only the keys can reveal it.
    'a check record of nobody’s key',
    'check-record-unopenable',
    both(
      eachEpoch(({ checkRecord }) => ({ checkRecord: flip(checkRecord, -1) })),
      draft(({ payload: bytes, manifest: m }) => ({
        manifest: { ...m, stateHash: toBase64Url(parsePack(bytes).stateHash()) },
      })),
    ),
  ],
]);

/** Only the service may order a wipe, of this device and now. */
const wipeCases = [
  ...bent(
    [
      ['a wipe without a signature', 'signature-invalid', signed(() => new Uint8Array(64))],
      ['a wipe for another device’s key', 'other-device', manifest(() => ({ deviceKeyThumbprint: foreignHash }))],
      ['a wipe with a payload', 'envelope-invalid', draft(() => ({ payloadKind: 1, payload: Uint8Array.of(1) }))],
      ['a wipe for another device’s id', 'other-device', manifest(() => ({ deviceId: other('dev') }))],
    ],
    wiping,
  ),
  ...answered([
    ['a wipe under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 }), wiping],
  ]),
];

/**
 * The sync conformance suite: known lies, with the check that must detect each. A device refuses each for this reason,
 * stores nothing of it, and verifies as before.
 */
export const hostileCases: readonly HostileCase[] = [
  ...signatureCases,
  ...manifestCases,
  ...addresseeCases,
  ...wholePackCases,
  ...changesCases,
  ...unchangedCases,
  ...listKeyCases,
  ...wipeCases,
];
