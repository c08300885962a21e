import { Reader } from '../bytes.ts';
import {
  assertFalling,
  type EpochSection,
  epochHead,
  type PackInput,
  packHead,
  packInvalid,
  readEpochHead,
  readPackHead,
} from './pack.ts';
import { maxDimension, recordSize } from './record.ts';

/** Bytes read in ranges, from a file, a database or memory. */
export interface PackSource {
  readonly byteLength: number;
  /**
   * Exactly `length` bytes from `offset`, which the caller may keep and does not write to; rejects if there are fewer.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** An epoch whose records are read on demand. */
export interface PackContentEpoch extends Omit<EpochSection, 'records'> {
  readonly recordCount: number;
  /** All records from the first, in batches of whole joined records. Can be called repeatedly. */
  batches(): AsyncIterable<Uint8Array>;
}

/**
 * A pack in parts, in memory only as far as they are read. {@link indexPack} checks order and deadlines of the records.
 */
export interface PackContent extends Omit<PackInput, 'epochs'> {
  /** Newest first. */
  readonly epochs: readonly PackContentEpoch[];
}

/** Records are read in chunks of at most this size. */
const BATCH_BYTES = 2 ** 18;
const IDENTIFIER_BYTES = 255;
const PACK_HEAD_BYTES = 8 + 8 + 2 + IDENTIFIER_BYTES + 1;
const EPOCH_HEAD_BYTES = 4 + 2 + IDENTIFIER_BYTES + 2 + 4 + recordSize(maxDimension);

/** A source over bytes that do not change. */
export function memorySource(bytes: Uint8Array): PackSource {
  return {
    byteLength: bytes.length,
    read: async (offset, length) => {
      if (offset + length > bytes.length) throw packInvalid('cut short');
      return bytes.subarray(offset, offset + length);
    },
  };
}

async function* readBatches(source: PackSource, from: number, to: number, size: number): AsyncGenerator<Uint8Array> {
  const step = Math.max(1, Math.floor(BATCH_BYTES / size)) * size;
  for (let at = from; at < to; at += step) yield await source.read(at, Math.min(step, to - at));
}

/**
 * Reads the heads of a pack; records are read on demand.
 * @throws FaceError `pack-invalid` unless every length and identifier is valid, the epochs come newest first, and
 *   nothing follows. Errors of the source pass through
 */
export async function readPackContent(source: PackSource): Promise<PackContent> {
  const headAt = async (offset: number, atMost: number) => {
    const left = source.byteLength - offset;
    return new Reader(await source.read(offset, Math.min(atMost, left)), packInvalid);
  };
  const reader = await headAt(0, PACK_HEAD_BYTES);
  const { listId, listVersion, epochCount } = readPackHead(reader);
  const epochs: PackContentEpoch[] = [];
  let at = reader.at;
  for (let i = 0; i < epochCount; i++) {
    const epochReader = await headAt(at, EPOCH_HEAD_BYTES);
    const head = readEpochHead(epochReader);
    const size = recordSize(head.dimension);
    const recordsAt = at + epochReader.at;
    at = recordsAt + head.recordCount * size;
    if (at > source.byteLength) throw packInvalid('cut short');
    const end = at;
    epochs.push({
      ...head,
      checkRecord: head.checkRecord.slice(),
      batches: () => readBatches(source, recordsAt, end, size),
    });
  }
  if (at !== source.byteLength) throw packInvalid('trailing bytes');
  assertFalling(epochs);
  return { listId, listVersion, epochs };
}

/** The bytes of the pack in pieces, as `encodePack` would write them. */
export async function* packParts(content: PackContent): AsyncGenerator<Uint8Array> {
  yield packHead(content, content.epochs.length);
  for (const epoch of content.epochs) {
    yield epochHead(epoch, epoch.recordCount);
    yield* epoch.batches();
  }
}
