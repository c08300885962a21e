import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, toBase64Url } from '../../bytes.ts';
import type { Draft, FakeService } from '../fake-service.ts';
import { manifest } from './bend-manifest.ts';
import { eachDelta, editedDelta, RECORD_BYTES, repacked } from './bend-payload.ts';
import { foreignKey, other } from './foreign-identities.ts';
import { bent, flip, type HostileCase } from './hostile-case.ts';

/** Changes that do not lead from the held pack to the manifest's. */
export const changesCases: readonly HostileCase[] = (
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
