import { sha256 } from '@noble/hashes/sha2.js';
import {
  type DeltaInput,
  encodeDelta,
  encodePack,
  type PackInput,
  parseDelta,
  parsePack,
  recordSize,
} from '@svc/core/pack';
import { toBase64Url } from '../../bytes.ts';
import { DIMENSION } from '../fake-service.ts';
import type { Bend } from './hostile-case.ts';

/** Bytes of a sealed record of these lists. */
export const RECORD_BYTES = recordSize(DIMENSION);

type Bytes = (bytes: Uint8Array) => Uint8Array;

/** Changes the bytes of the signed envelope. */
export const body =
  (change: Bytes): Bend =>
  (draft) => {
    draft.body = change;
  };

/** Replaces the payload of an honest manifest, with its hash. */
export const repacked =
  (change: Bytes): Bend =>
  (draft) => {
    draft.payload = change(draft.payload);
    draft.manifest = { ...draft.manifest, payloadSha256: toBase64Url(sha256(draft.payload)) };
  };

const packOf = (payload: Uint8Array): PackInput => {
  const { listId, listVersion, ...pack } = parsePack(payload);
  return { listId, listVersion, epochs: pack.epochs.map((epoch) => ({ ...epoch, records: [...epoch.records()] })) };
};
/** Another well-formed pack. */
export const edited = (change: (pack: PackInput) => PackInput): Bend =>
  repacked((payload) => encodePack(change(packOf(payload))));
export const eachEpoch =
  (change: (epoch: PackInput['epochs'][number]) => object) =>
  (pack: PackInput): PackInput => ({
    ...pack,
    epochs: pack.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })),
  });

const pieces = (bytes: Uint8Array, length: number) =>
  Array.from({ length: bytes.length / length }, (_, i) => bytes.slice(i * length, (i + 1) * length));
/** Other well-formed changes. */
export const editedDelta = (change: (delta: DeltaInput) => DeltaInput): Bend =>
  repacked((payload) => {
    const delta = parseDelta(payload);
    const unpacked = delta.epochs.map((epoch) => ({
      ...epoch,
      upserts: pieces(epoch.upserts, RECORD_BYTES),
      removals: pieces(epoch.removals, 16),
    }));
    return encodeDelta(change({ ...delta, epochs: unpacked }));
  });
export const eachDelta =
  (change: (epoch: DeltaInput['epochs'][number]) => object) =>
  (delta: DeltaInput): DeltaInput => ({
    ...delta,
    epochs: delta.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })),
  });
