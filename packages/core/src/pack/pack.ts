import { assertIdentifier, assertUint, compareBytes, concat, maxU32, Reader, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import { lookupTagBytes, maxDimension, recordSize } from './record.ts';
import { combineEpochHashes, EpochHasher } from './state-hash.ts';

/** One epoch of a pack to encode. */
export interface EpochSection {
  /** u32 */
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  /** From `sealCheckRecord`. */
  readonly checkRecord: Uint8Array;
  /** From `sealRecord`, in any order; tags are unique. */
  readonly records: readonly Uint8Array[];
}

/** Contents of a pack to encode. */
export interface PackInput {
  readonly listId: string;
  /** Safe integer from 0. */
  readonly listVersion: number;
  /** Newest first, at most 255. */
  readonly epochs: readonly EpochSection[];
}

/** One epoch of a parsed pack. */
export interface PackEpoch {
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  readonly recordCount: number;
  /** A view of the pack. */
  readonly checkRecord: Uint8Array;
  /** The record with this 16-byte tag, a view of the pack; null if there is none. O(log n). */
  find(tag: Uint8Array): Uint8Array | null;
  /** All records by increasing tag, views of the pack. */
  records(): IterableIterator<Uint8Array>;
}

/** A parsed pack: views of its bytes. */
export interface Pack {
  readonly listId: string;
  readonly listVersion: number;
  /** Records of all epochs, without check records. */
  readonly recordCount: number;
  /** Newest first. */
  readonly epochs: readonly PackEpoch[];
  /** 32 bytes over everything but the version (docs/internals/pack-format.md). */
  stateHash(): Uint8Array;
}

const magic = utf8('SVCPACK1');
const maxEpochs = 255;

/**
 * Whether the record at `at` has a deleteAfter of at most 2⁵³ − 1. A larger one could not be read, so the record would
 * never be deleted.
 */
function hasSafeDeadline(bytes: Uint8Array, at: number): boolean {
  return bytes[at + lookupTagBytes] === 0 && (bytes[at + lookupTagBytes + 1] ?? 0) < 0x20;
}

/** @throws FaceError `invalid-argument` unless it is a valid record of `size` bytes */
export function assertRecord(record: Uint8Array, size: number): void {
  if (record.length !== size) throw new FaceError('invalid-argument', 'a record has the wrong length');
  if (!hasSafeDeadline(record, 0)) throw new FaceError('invalid-argument', 'a deadline is out of range');
}

/** @throws FaceError `invalid-argument` for an invalid list id, version or epoch */
export function assertPackHeads(
  input: Pick<PackInput, 'listId' | 'listVersion'>,
  epochs: readonly Omit<EpochSection, 'records'>[],
): void {
  assertIdentifier(input.listId, 'listId');
  assertUint(input.listVersion, Number.MAX_SAFE_INTEGER, 'listVersion');
  assertUint(epochs.length, maxEpochs, 'number of epochs');
  let newer = Number.POSITIVE_INFINITY;
  for (const section of epochs) {
    assertUint(section.epoch, maxU32, 'epoch');
    assertIdentifier(section.engineId, 'engineId');
    assertUint(section.dimension - 1, maxDimension - 1, 'dimension');
    if (section.epoch >= newer) throw new FaceError('invalid-argument', 'epochs must come newest first');
    assertRecord(section.checkRecord, recordSize(section.dimension));
    newer = section.epoch;
  }
}

export function identifierField(text: string): Uint8Array {
  const bytes = utf8(text);
  return concat([uint(bytes.length, 2), bytes]);
}

/** The head of a pack. */
export function packHead(input: Pick<PackInput, 'listId' | 'listVersion'>, epochCount: number): Uint8Array {
  return concat([magic, uint(input.listVersion, 8), identifierField(input.listId), uint(epochCount, 1)]);
}

/** The head of an epoch with its check record; the records follow. */
export function epochHead(section: Omit<EpochSection, 'records'>, recordCount: number): Uint8Array {
  const { epoch, engineId, dimension, checkRecord } = section;
  return concat([uint(epoch, 4), identifierField(engineId), uint(dimension, 2), uint(recordCount, 4), checkRecord]);
}

/** Index of the record with `tag`, or -1, by binary search in the sorted records. */
export function searchRecords(records: Uint8Array, size: number, count: number, tag: Uint8Array): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareBytes(records, middle * size, tag, 0, lookupTagBytes);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

export function packInvalid(why: string): FaceError {
  return new FaceError('pack-invalid', `not a pack: ${why}`);
}

/**
 * Checks joined records of one epoch. `previous`: the tag before the first record; null at the start.
 * @throws FaceError `pack-invalid` unless tags strictly increase and every deadline is at most 2⁵³ − 1
 */
export function assertRecords(records: Uint8Array, size: number, previous: Uint8Array | null): void {
  if (previous !== null && records.length > 0 && compareBytes(previous, 0, records, 0, lookupTagBytes) >= 0) {
    throw packInvalid('tags not in rising order');
  }
  for (let at = 0; at < records.length; at += size) {
    if (at > 0 && compareBytes(records, at - size, records, at, lookupTagBytes) >= 0) {
      throw packInvalid('tags not in rising order');
    }
    if (!hasSafeDeadline(records, at)) throw packInvalid('deadline above 2^53 - 1');
  }
}

/** Reads the head of a pack. @throws FaceError `pack-invalid` */
export function readPackHead(reader: Reader): { listId: string; listVersion: number; epochCount: number } {
  reader.expect(magic);
  const listVersion = reader.u64();
  const listId = reader.identifier(reader.u16());
  return { listId, listVersion, epochCount: reader.u8() };
}

/** Reads the head of an epoch; the check record is a view. @throws FaceError `pack-invalid` */
export function readEpochHead(reader: Reader): Omit<EpochSection, 'records'> & { readonly recordCount: number } {
  const epoch = reader.u32();
  const engineId = reader.identifier(reader.u16());
  const dimension = reader.u16();
  if (dimension === 0 || dimension > maxDimension) throw packInvalid('dimension out of range');
  const recordCount = reader.u32();
  const checkRecord = reader.take(recordSize(dimension));
  if (!hasSafeDeadline(checkRecord, 0)) throw packInvalid('deadline above 2^53 - 1');
  return { epoch, engineId, dimension, recordCount, checkRecord };
}

/** @throws FaceError `pack-invalid` unless the epochs come newest first */
export function assertFalling(epochs: readonly { readonly epoch: number }[]): void {
  for (let i = 1; i < epochs.length; i++) {
    if ((epochs[i]?.epoch ?? 0) >= (epochs[i - 1]?.epoch ?? 0)) throw packInvalid('epochs not newest first');
  }
}

function parseEpoch(reader: Reader): PackEpoch {
  const head = readEpochHead(reader);
  const { dimension, recordCount } = head;
  const size = recordSize(dimension);
  const block = reader.take(recordCount * size);
  assertRecords(block, size, null);
  return {
    ...head,
    find(tag) {
      if (tag.length !== lookupTagBytes) throw new FaceError('invalid-argument', 'a tag has 16 bytes');
      const index = searchRecords(block, size, recordCount, tag);
      return index < 0 ? null : block.subarray(index * size, (index + 1) * size);
    },
    *records() {
      for (let at = 0; at < block.length; at += size) yield block.subarray(at, at + size);
    },
  };
}

/**
 * Parses a pack without copying: do not change the bytes while the result is in use.
 * @throws FaceError `pack-invalid` unless every length, order, identifier and deadline is valid and nothing follows
 */
export function parsePack(bytes: Uint8Array): Pack {
  const reader = new Reader(bytes, packInvalid);
  const { listId, listVersion, epochCount } = readPackHead(reader);
  const epochs = Array.from({ length: epochCount }, () => parseEpoch(reader));
  reader.end();
  assertFalling(epochs);
  return {
    listId,
    listVersion,
    recordCount: epochs.reduce((sum, epoch) => sum + epoch.recordCount, 0),
    epochs,
    stateHash() {
      const hashes = epochs.map((epoch) => {
        const hasher = new EpochHasher(listId, epoch);
        for (const record of epoch.records()) hasher.add(record);
        return hasher.digest();
      });
      return combineEpochHashes(listId, hashes);
    },
  };
}
