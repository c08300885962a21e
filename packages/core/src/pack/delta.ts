import { assertUint, compareBytes, concat, maxU32, Reader, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import {
  assertFalling,
  assertPackHeads,
  assertRecord,
  assertRecords,
  type EpochSection,
  epochHead,
  identifierField,
  packInvalid,
  readEpochHead,
} from './pack.ts';
import type { PackContent, PackContentEpoch } from './pack-content.ts';
import { lookupTagBytes, recordSize } from './record.ts';

/** Changes of one epoch between two versions. */
export interface EpochDelta extends Omit<EpochSection, 'records'> {
  /** Number of records of the epoch after the change. */
  readonly recordCount: number;
  /** Records that are new or replace the one of the same tag, in any order. */
  readonly upserts: readonly Uint8Array[];
  /** 16-byte tags of records to remove, in any order. Unknown tags are ignored. */
  readonly removals: readonly Uint8Array[];
}

/** Contents of a delta to encode. */
export interface DeltaInput {
  readonly listId: string;
  /** Version of the pack that the delta applies to; below `toVersion`. */
  readonly fromVersion: number;
  readonly toVersion: number;
  /** All live epochs after the change, newest first; other epochs are removed. */
  readonly epochs: readonly EpochDelta[];
}

/** A parsed delta; its arrays are views of the input bytes. */
export interface PackDelta extends Omit<DeltaInput, 'epochs'> {
  readonly epochs: readonly (Omit<EpochDelta, 'upserts' | 'removals'> & {
    /** Joined, by strictly increasing tag. */
    readonly upserts: Uint8Array;
    /** Joined, strictly increasing; none is also an upsert. */
    readonly removals: Uint8Array;
  })[];
}

const magic = utf8('SVCDIFF1');

function deltaInvalid(why: string): FaceError {
  return new FaceError('delta-invalid', `not a delta: ${why}`);
}

const byTag = (a: Uint8Array, b: Uint8Array): number => compareBytes(a, 0, b, 0, lookupTagBytes);

/** @throws FaceError `invalid-argument` for a tag that occurs twice in the two lists */
function assertTagsOnce(upserts: readonly Uint8Array[], removals: readonly Uint8Array[]): void {
  const tags = [...upserts, ...removals].sort(byTag);
  for (let i = 1; i < tags.length; i++) {
    if (byTag(tags[i - 1] ?? magic, tags[i] ?? magic) === 0) {
      throw new FaceError('invalid-argument', 'a tag stands twice');
    }
  }
}

/**
 * Writes a delta (docs/internals/pack-format.md): the changes between two versions of a pack, each epoch sorted by tag.
 * @throws FaceError `invalid-argument` for a value out of range, a repeated tag, or epochs not newest first
 */
export function encodeDelta(input: DeltaInput): Uint8Array {
  const { listId, fromVersion, toVersion, epochs } = input;
  assertPackHeads({ listId, listVersion: toVersion }, epochs);
  assertUint(fromVersion, toVersion - 1, 'fromVersion');
  const parts = [magic, uint(fromVersion, 8), uint(toVersion, 8), identifierField(listId), uint(epochs.length, 1)];
  for (const epoch of epochs) {
    const { recordCount, upserts, removals, dimension } = epoch;
    assertUint(recordCount, maxU32, 'number of records');
    assertUint(upserts.length, recordCount, 'number of upserts');
    assertUint(removals.length, maxU32, 'number of removals');
    for (const record of upserts) assertRecord(record, recordSize(dimension));
    for (const tag of removals) {
      if (tag.length !== lookupTagBytes) throw new FaceError('invalid-argument', 'a tag has 16 bytes');
    }
    assertTagsOnce(upserts, removals);
    parts.push(epochHead(epoch, recordCount), uint(upserts.length, 4), uint(removals.length, 4));
    for (const record of [...upserts].sort(byTag)) parts.push(record);
    for (const tag of [...removals].sort(byTag)) parts.push(tag);
  }
  return concat(parts);
}

function readEpochDelta(reader: Reader): PackDelta['epochs'][number] {
  const head = readEpochHead(reader);
  const size = recordSize(head.dimension);
  const [upsertCount, removalCount] = [reader.u32(), reader.u32()];
  if (upsertCount > head.recordCount) throw deltaInvalid('more upserts than records');
  const upserts = reader.take(upsertCount * size);
  const removals = reader.take(removalCount * lookupTagBytes);
  assertRecords(upserts, size, null);
  let upsertAt = 0;
  for (let at = 0; at < removals.length; at += lookupTagBytes) {
    if (at > 0 && compareBytes(removals, at - lookupTagBytes, removals, at, lookupTagBytes) >= 0) {
      throw deltaInvalid('removals not in rising order');
    }
    while (upsertAt < upserts.length && compareBytes(upserts, upsertAt, removals, at, lookupTagBytes) < 0) {
      upsertAt += size;
    }
    if (upsertAt < upserts.length && compareBytes(upserts, upsertAt, removals, at, lookupTagBytes) === 0) {
      throw deltaInvalid('a tag is put in and removed');
    }
  }
  return { ...head, upserts, removals };
}

/**
 * Parses a delta without copying: do not change the bytes while the result is in use.
 * @throws FaceError `delta-invalid` unless every length, order, identifier and deadline is valid and nothing follows
 */
export function parseDelta(bytes: Uint8Array): PackDelta {
  try {
    const reader = new Reader(bytes, deltaInvalid);
    reader.expect(magic);
    const [fromVersion, toVersion] = [reader.u64(), reader.u64()];
    if (fromVersion >= toVersion) throw deltaInvalid('it leads nowhere');
    const listId = reader.identifier(reader.u16());
    const epochs = Array.from({ length: reader.u8() }, () => readEpochDelta(reader));
    reader.end();
    assertFalling(epochs);
    return { listId, fromVersion, toVersion, epochs };
  } catch (error) {
    // Packs and deltas share parsing code, which reports `pack-invalid`.
    if (FaceError.is(error) && error.code === 'pack-invalid') throw deltaInvalid(error.message);
    throw error;
  }
}

/**
 * The resulting pack, read lazily from `base` and `delta` on each pass. `indexPack` checks its record counts.
 * @throws FaceError `delta-invalid` for another list or version, or an epoch other than the one held
 */
export function applyDelta(base: PackContent, delta: PackDelta): PackContent {
  if (base.listId !== delta.listId || base.listVersion !== delta.fromVersion) {
    throw deltaInvalid('it is of another pack');
  }
  const epochs = delta.epochs.map((change): PackContentEpoch => {
    const held = base.epochs.find(({ epoch }) => epoch === change.epoch);
    const { epoch, engineId, dimension, checkRecord, recordCount, upserts, removals } = change;
    if (held !== undefined && !isSameEpoch(held, change)) throw deltaInvalid('an epoch is another one');
    return {
      epoch,
      engineId,
      dimension,
      checkRecord,
      recordCount,
      batches: () => merged(held, recordSize(dimension), upserts, removals),
    };
  });
  return { listId: delta.listId, listVersion: delta.toVersion, epochs };
}

function isSameEpoch(a: Omit<EpochSection, 'records'>, b: Omit<EpochSection, 'records'>): boolean {
  if (a.engineId !== b.engineId || a.dimension !== b.dimension) return false;
  return compareBytes(a.checkRecord, 0, b.checkRecord, 0, recordSize(a.dimension)) === 0;
}

/** Held records merged with the upserts by tag, without removed and replaced ones. */
async function* merged(
  held: PackContentEpoch | undefined,
  size: number,
  upserts: Uint8Array,
  removals: Uint8Array,
): AsyncGenerator<Uint8Array> {
  let upsertAt = 0;
  let removalAt = 0;
  for await (const batch of held?.batches() ?? []) {
    if (batch.length % size !== 0) throw packInvalid('half a record');
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < batch.length; at += size) {
      const upsertFrom = upsertAt;
      while (upsertAt < upserts.length && compareBytes(upserts, upsertAt, batch, at, lookupTagBytes) < 0) {
        upsertAt += size;
      }
      const isReplaced = upsertAt < upserts.length && compareBytes(upserts, upsertAt, batch, at, lookupTagBytes) === 0;
      if (isReplaced) upsertAt += size;
      while (removalAt < removals.length && compareBytes(removals, removalAt, batch, at, lookupTagBytes) < 0) {
        removalAt += lookupTagBytes;
      }
      const isRemoved =
        removalAt < removals.length && compareBytes(removals, removalAt, batch, at, lookupTagBytes) === 0;
      if (upsertAt === upsertFrom && !isRemoved) continue;
      pieces.push(batch.subarray(from, at), upserts.subarray(upsertFrom, upsertAt));
      from = isReplaced || isRemoved ? at + size : at;
    }
    pieces.push(batch.subarray(from));
    yield pieces.length === 1 ? batch : concat(pieces);
  }
  if (upsertAt < upserts.length) yield upserts.subarray(upsertAt);
}
