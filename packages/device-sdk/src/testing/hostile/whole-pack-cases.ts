import { parseEnvelope } from '@svc/core/pack';
import { concatBytes, toBase64Url } from '../../bytes.ts';
import { DIMENSION, syncAnswer } from '../fake-service.ts';
import { epochs, manifest } from './bend-manifest.ts';
import { body, eachEpoch, edited, RECORD_BYTES, repacked } from './bend-payload.ts';
import { other } from './foreign-identities.ts';
import { answered, bent, flip, type HostileCase } from './hostile-case.ts';

/** Bytes of an envelope before its payload. */
const headLength = (bytes: Uint8Array) => bytes.length - parseEnvelope(bytes).payload.length;

/** A whole pack that differs from its manifest. Its last bytes are records. */
export const wholePackCases: readonly HostileCase[] = [
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
    body((bytes) => concatBytes(bytes, Uint8Array.of(0))),
  ),
  bent('no payload where there should be one', 'payload-hash-mismatch', (draft) => {
    draft.payload = new Uint8Array();
  }),
  answered(
    'the payload of the last sync under a new manifest',
    'payload-hash-mismatch',
    async (honest, service) => {
      const [now, before] = [await honest(), service.answered[0] ?? new Uint8Array()];
      return syncAnswer(concatBytes(now.subarray(0, headLength(now)), before.subarray(headLength(before))));
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
    repacked((payload) => concatBytes(payload, Uint8Array.of(0))),
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
        checkRecord: concatBytes(checkRecord, new Uint8Array(2)),
        records: records.map((record) => concatBytes(record, new Uint8Array(2))),
      })),
    ),
  ),
  bent(
    'records out of order',
    'pack-invalid',
    repacked((payload) =>
      concatBytes(
        payload.slice(0, -2 * RECORD_BYTES),
        payload.slice(-RECORD_BYTES),
        payload.slice(-2 * RECORD_BYTES, -RECORD_BYTES),
      ),
    ),
  ),
  bent(
    'a record twice',
    'pack-invalid',
    repacked((payload) =>
      concatBytes(payload.slice(0, -2 * RECORD_BYTES), payload.slice(-RECORD_BYTES), payload.slice(-RECORD_BYTES)),
    ),
  ),
  bent(
    'a deadline that no reader can read',
    'pack-invalid',
    repacked((payload) =>
      payload.slice().fill(255, payload.length - RECORD_BYTES + 16, payload.length - RECORD_BYTES + 17),
    ),
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
        records: [concatBytes(a.slice(0, 16), b.slice(16)), concatBytes(b.slice(0, 16), a.slice(16)), ...rest],
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
    repacked((payload) => flip(payload, 20 - RECORD_BYTES)),
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
