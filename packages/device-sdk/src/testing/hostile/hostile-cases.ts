import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { parseEnvelope, parsePack } from '@svc/core/pack';
import type { SyncEpoch } from '@svc/protocol';
import { concatBytes, toBase64Url } from '../../platform/bytes.ts';
import { signingKeyId } from '../../trust/region.ts';
import { DIMENSION, type Draft, type FakeService, syncAnswer } from '../fake-service.ts';
import { answerCases } from './answer-cases.ts';
import {
  answered,
  type Bend,
  bent,
  body,
  changing,
  eachDelta,
  eachEpoch,
  edited,
  editedDelta,
  epochs,
  flip,
  foreignKey,
  foreignPoint,
  foreignSecret,
  type HostileCase,
  held,
  json,
  manifest,
  other,
  RECORD_BYTES,
  repacked,
  wiping,
} from './bends.ts';

/** Bytes of an envelope before its payload. */
const headLength = (bytes: Uint8Array) => bytes.length - parseEnvelope(bytes).payload.length;

/** A whole pack that differs from its manifest. Its last bytes are records. */
const wholePackCases = [
  ...bent([
    [
      'a flipped bit in a record',
      'payload-hash-mismatch',
      (draft) => {
        draft.payload = flip(draft.payload, -5);
      },
    ],
    ['a payload cut short', 'payload-hash-mismatch', body((bytes) => bytes.subarray(0, bytes.length - 1))],
    ['a byte too many', 'payload-hash-mismatch', body((bytes) => concatBytes(bytes, Uint8Array.of(0)))],
    [
      'no payload where there should be one',
      'payload-hash-mismatch',
      (draft) => {
        draft.payload = new Uint8Array();
      },
    ],
    [
      'a whole pack that begins at a version',
      'base-mismatch',
      manifest(({ toVersion }) => ({ fromVersion: toVersion - 1 })),
    ],
    ['a payload that is no pack', 'pack-invalid', repacked(() => new Uint8Array(400))],
    ['a pack of no bytes', 'pack-invalid', repacked(() => new Uint8Array())],
    ['a pack cut in its head', 'pack-invalid', repacked((payload) => payload.slice(0, 20))],
    ['a pack cut in its epoch', 'pack-invalid', repacked((payload) => payload.slice(0, 60))],
    ['a pack cut in its records', 'pack-invalid', repacked((payload) => payload.slice(0, -1))],
    ['a pack with a byte too many', 'pack-invalid', repacked((payload) => concatBytes(payload, Uint8Array.of(0)))],
    ['a pack of another list', 'pack-invalid', edited((pack) => ({ ...pack, listId: other('lst') }))],
    ['a pack of another version', 'pack-invalid', edited((pack) => ({ ...pack, listVersion: 9 }))],
    ['a pack without its epoch', 'pack-invalid', edited((pack) => ({ ...pack, epochs: [] }))],
    ['a pack of another epoch', 'pack-invalid', edited(eachEpoch(() => ({ epoch: 2 })))],
    ['a record count that lies', 'pack-invalid', manifest(() => ({ recordCount: 1 }))],
    ['another engine than the pack’s', 'pack-invalid', epochs(() => ({ engineId: 'other/1' }))],
    ['another dimension than the pack’s', 'pack-invalid', epochs(() => ({ dimension: DIMENSION + 1 }))],
    [
      'records of another length',
      'pack-invalid',
      edited(
        eachEpoch(({ records, checkRecord }) => ({
          dimension: DIMENSION + 1,
          checkRecord: concatBytes(checkRecord, new Uint8Array(2)),
          records: records.map((record) => concatBytes(record, new Uint8Array(2))),
        })),
      ),
    ],
    [
      'records out of order',
      'pack-invalid',
      repacked((payload) =>
        concatBytes(
          payload.slice(0, -2 * RECORD_BYTES),
          payload.slice(-RECORD_BYTES),
          payload.slice(-2 * RECORD_BYTES, -RECORD_BYTES),
        ),
      ),
    ],
    [
      'a record twice',
      'pack-invalid',
      repacked((payload) =>
        concatBytes(payload.slice(0, -2 * RECORD_BYTES), payload.slice(-RECORD_BYTES), payload.slice(-RECORD_BYTES)),
      ),
    ],
    [
      'a deadline that no reader can read',
      'pack-invalid',
      repacked((payload) =>
        payload.slice().fill(255, payload.length - RECORD_BYTES + 16, payload.length - RECORD_BYTES + 17),
      ),
    ],
    ['a flipped bit in a record, hashed anew', 'state-hash-mismatch', repacked((payload) => flip(payload, -5))],
    [
      'two people’s records swapped',
      'state-hash-mismatch',
      edited(
        eachEpoch(({ records: [a = new Uint8Array(), b = new Uint8Array(), ...rest] }) => ({
          records: [concatBytes(a.slice(0, 16), b.slice(16)), concatBytes(b.slice(0, 16), a.slice(16)), ...rest],
        })),
      ),
    ],
    [
      'a record left out, and counted so',
      'state-hash-mismatch',
      async (draft, service) => {
        await edited(eachEpoch(({ records }) => ({ records: records.slice(1) })))(draft, service);
        await manifest(({ recordCount }) => ({ recordCount: recordCount - 1 }))(draft, service);
      },
    ],
    ['a longer stay for somebody', 'state-hash-mismatch', repacked((payload) => flip(payload, 20 - RECORD_BYTES))],
    ['another state hash', 'state-hash-mismatch', manifest(() => ({ stateHash: toBase64Url(new Uint8Array(32)) }))],
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
      { atFirst: null },
    ],
  ]),
];

/** Changes that do not lead from the held pack to the manifest's. */
const changesCases = bent(
  [
    ['changes of no bytes', 'delta-invalid', repacked(() => new Uint8Array())],
    ['changes that are none', 'delta-invalid', repacked(() => new Uint8Array(300))],
    ['changes cut in their head', 'delta-invalid', repacked((payload) => payload.slice(0, 30))],
    ['changes cut in their epoch', 'delta-invalid', repacked((payload) => payload.slice(0, 100))],
    ['changes cut in a removal', 'delta-invalid', repacked((payload) => payload.slice(0, -1))],
    ['changes with a byte too many', 'delta-invalid', repacked((payload) => concatBytes(payload, Uint8Array.of(0)))],
    [
      'changes hashed otherwise',
      'payload-hash-mismatch',
      (draft) => {
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
      async (draft, service) => {
        await editedDelta((delta) => ({ ...delta, epochs: [] }))(draft, service);
        await manifest(() => ({ recordCount: 0 }))(draft, service);
      },
    ],
    ['changes without the new record', 'delta-invalid', editedDelta(eachDelta(() => ({ upserts: [] })))],
    ['changes without the removal', 'delta-invalid', editedDelta(eachDelta(() => ({ removals: [] })))],
    [
      'changes that keep the erased, and count so',
      'state-hash-mismatch',
      async (draft, service) => {
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
        // The last bytes are one upsert and one removal, preceded by the counts.
        const at = payload.length - 16 - RECORD_BYTES;
        const record = payload.slice(at, at + RECORD_BYTES);
        const twice = concatBytes(payload.slice(0, at), record, record, payload.slice(-16));
        return twice.fill(2, at - 5, at - 4);
      }),
    ],
    [
      'a new record that is removed too',
      'delta-invalid',
      repacked((payload) => {
        const at = payload.length - 16 - RECORD_BYTES;
        return concatBytes(payload.slice(0, -16), payload.slice(at, at + 16));
      }),
    ],
    [
      'a removal twice',
      'delta-invalid',
      repacked((payload) => {
        const at = payload.length - 16 - RECORD_BYTES;
        return concatBytes(payload, payload.slice(-16)).fill(2, at - 1, at);
      }),
    ],
    ['a count that lies', 'pack-invalid', manifest(() => ({ recordCount: 9 }))],
    [
      'another state hash after changes',
      'state-hash-mismatch',
      manifest(() => ({ stateHash: toBase64Url(sha256(foreignKey)) })),
    ],
    [
      'changes as a whole pack',
      'base-mismatch',
      (draft) => {
        draft.payloadKind = 1;
      },
    ],
    [
      'changes as a whole pack from no version',
      'pack-invalid',
      async (draft, service) => {
        draft.payloadKind = 1;
        await manifest(() => ({ fromVersion: 0 }))(draft, service);
      },
    ],
    [
      'a whole pack as changes',
      'delta-invalid',
      async (draft, service) => {
        await repacked(() => service.newestPack)(draft, service);
      },
    ],
  ],
  changing,
);

/** «Nothing changed», although something did. */
const unchangedCases = bent([
  [
    '«unchanged» for a version that is not held',
    'base-mismatch',
    (draft) => {
      draft.payloadKind = 0;
      draft.payload = new Uint8Array();
      const { toVersion } = draft.manifest;
      draft.manifest = { ...draft.manifest, fromVersion: toVersion, payloadSha256: toBase64Url(sha256(draft.payload)) };
    },
  ],
  [
    '«unchanged» that leads to a version of its own',
    'base-mismatch',
    manifest(({ toVersion }) => ({ toVersion: toVersion + 1 })),
    held,
  ],
  [
    '«unchanged» with another state',
    'version-conflict',
    manifest(() => ({ stateHash: toBase64Url(sha256(foreignKey)) })),
    held,
  ],
  ['«unchanged» with another engine', 'pack-invalid', epochs(() => ({ engineId: 'other/1' })), held],
  [
    '«unchanged» with the hash of something',
    'payload-hash-mismatch',
    manifest(() => ({
      payloadSha256: toBase64Url(sha256(foreignKey)),
    })),
    held,
  ],
]);

/** The manifest matches the modified pack: only the keys can reveal it. */
const consistently =
  (bend: Bend): Bend =>
  async (draft, service) => {
    await bend(draft, service);
    const pack = parsePack(draft.payload);
    draft.manifest = { ...draft.manifest, stateHash: toBase64Url(pack.stateHash()), recordCount: pack.recordCount };
  };

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

const firstKey = (draft: Draft): SyncEpoch['sealedListKey'] => {
  const [epoch] = draft.manifest.epochs;
  if (epoch === undefined) throw new Error('a list that is kept has an epoch');
  return epoch.sealedListKey;
};

/** The last checks: the key opens, and it opens the pack. */
const listKeyCases = bent([
  [
    'a list key sealed to another device',
    'list-key-unopenable',
    sealed(async ({ service }) => service.sealTo(await foreignPoint(), service.newest.listKey, 1)),
  ],
  [
    'a list key sealed for another device’s id',
    'list-key-unopenable',
    sealed(({ service, own }) => service.sealTo(own, service.newest.listKey, 1, other('dev'))),
  ],
  [
    'a list key sealed for another epoch',
    'list-key-unopenable',
    sealed(({ service, own }) => service.sealTo(own, service.newest.listKey, 2)),
  ],
  [
    'a list key that is no key',
    'list-key-unopenable',
    sealed(async ({ draft }) => ({ ...firstKey(draft), ciphertext: toBase64Url(new Uint8Array(48)) })),
  ],
  [
    'a key exchange with no point',
    'list-key-unopenable',
    sealed(async ({ draft }) => ({ ...firstKey(draft), enc: toBase64Url(new Uint8Array(65).fill(4)) })),
  ],
  [
    'a sealed key of another length',
    'manifest-invalid',
    sealed(async ({ draft }) => ({ ...firstKey(draft), ciphertext: toBase64Url(new Uint8Array(47)) })),
  ],
  [
    'another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
  ],
  [
    '«unchanged» with another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
    held,
  ],
  [
    'changes with another list’s key',
    'check-record-unopenable',
    sealed(({ service, own }) => service.sealTo(own, new Uint8Array(32).fill(1), 1)),
    changing,
  ],
  [
    'a check record of nobody’s key',
    'check-record-unopenable',
    consistently(edited(eachEpoch(({ checkRecord }) => ({ checkRecord: flip(checkRecord, -1) })))),
  ],
  [
    'somebody’s record in the place of the check record',
    'check-record-unopenable',
    consistently(edited(eachEpoch(({ records: [record] }) => ({ checkRecord: record })))),
  ],
]);

const forged = bent(
  [
    [
      'a wipe without a signature',
      'signature-invalid',
      (draft) => {
        draft.sign = () => new Uint8Array(64);
      },
    ],
    [
      'a wipe by a stranger’s key',
      'unknown-signing-key',
      (draft) => {
        draft.keyId = signingKeyId(foreignKey);
        draft.sign = (message) => ed25519.sign(message, foreignSecret);
      },
    ],
    [
      'a wipe for another device’s key',
      'other-device',
      manifest(() => ({ deviceKeyThumbprint: toBase64Url(sha256(foreignKey)) })),
    ],
    ['a wipe to an older question', 'other-nonce', manifest(() => ({ nonce: toBase64Url(new Uint8Array(16)) }))],
    ['a wipe without a reason', 'manifest-invalid', json(({ reason: _reason, ...m }) => m)],
    ['a wipe for a reason that is none', 'manifest-invalid', json((m) => ({ ...m, reason: 'because' }))],
    ['a wipe at a version', 'manifest-invalid', manifest(() => ({ toVersion: 9 }))],
    ['a wipe with records', 'manifest-invalid', manifest(() => ({ recordCount: 1 }))],
    ['a wipe cut short', 'envelope-invalid', body((bytes) => bytes.subarray(0, bytes.length - 1))],
    ['a wipe with something after it', 'envelope-invalid', body((bytes) => concatBytes(bytes, Uint8Array.of(1)))],
    [
      'a wipe with a payload',
      'envelope-invalid',
      (draft) => {
        draft.payloadKind = 1;
        draft.payload = Uint8Array.of(1);
      },
    ],
  ],
  wiping,
);

/** Only the service may order a wipe, of this device and now. */
const wipeCases = [
  ...forged,
  ...bent([
    [
      'a wipe for another device’s id',
      'other-device',
      manifest(() => ({ deviceId: other('dev') })),
      { instead: 'wipe', atFirst: null },
    ],
    [
      'a wipe for another list',
      'other-list',
      manifest(() => ({ listId: other('lst') })),
      { instead: 'wipe', atFirst: null },
    ],
  ]),
  ...answered([
    ['a wipe under a 401', 'unauthorised', async (honest) => syncAnswer(await honest(), { status: 401 }), wiping],
    ['a wipe under a 503', 'server-error', async (honest) => syncAnswer(await honest(), { status: 503 }), wiping],
    [
      'a wipe as a web page',
      'unexpected-answer',
      async (honest) => syncAnswer(await honest(), { mediaType: 'text/html' }),
      wiping,
    ],
  ]),
];

/**
 * The sync conformance suite: every known lie, with the check that must detect it. A device refuses each for this
 * reason, stores nothing of it, and verifies as before.
 */
export const hostileCases: readonly HostileCase[] = [
  ...answerCases,
  ...wholePackCases,
  ...changesCases,
  ...unchangedCases,
  ...listKeyCases,
  ...wipeCases,
];
