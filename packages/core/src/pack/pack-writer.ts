import { assertUint, compareBytes, maxU32 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import { assertPackHeads, assertRecord, type EpochSection, epochHead, type PackInput, packHead } from './pack.ts';
import { lookupTagBytes, recordSize } from './record.ts';
import { type EpochBuckets, EpochHasher, nobleSha256, type Sha256Factory, stateHashOfBuckets } from './state-hash.ts';

/** An epoch whose records are added later; their number is known from the start. */
export interface PackWriterEpoch extends Omit<EpochSection, 'records'> {
  readonly recordCount: number;
}

/** Writes a pack (docs/internals/pack-format.md) and its state hash in small steps, so that no call blocks for long. */
export interface PackWriter {
  /**
   * Adds a copy of the next record. Epochs come in their order, records of an epoch by increasing tag.
   * @throws FaceError `invalid-argument` for a wrong length, deadline or order, or too many records
   */
  add(record: Uint8Array): void;
  /**
   * The pack (owned by the caller), its 32-byte state hash, and the hash buckets of each epoch.
   * @throws FaceError `invalid-argument` if records are missing
   */
  finish(): { readonly bytes: Uint8Array; readonly stateHash: Uint8Array; readonly buckets: readonly EpochBuckets[] };
}

/**
 * @param sha256 replaces the JavaScript implementation, for speed
 * @throws FaceError `invalid-argument` for a list id, version or epoch that is not valid, or epochs not newest first
 */
export function createPackWriter(
  input: Omit<PackInput, 'epochs'> & { readonly epochs: readonly PackWriterEpoch[] },
  sha256: Sha256Factory = nobleSha256,
): PackWriter {
  const { listId, epochs } = input;
  assertPackHeads(input, epochs);
  const head = packHead(input, epochs.length);
  let size = head.length;
  const heads = epochs.map((epoch) => {
    assertUint(epoch.recordCount, maxU32, 'number of records');
    const bytes = epochHead(epoch, epoch.recordCount);
    size += bytes.length + epoch.recordCount * recordSize(epoch.dimension);
    return bytes;
  });
  const out = new Uint8Array(size);
  out.set(head);
  let at = head.length;

  const buckets: EpochBuckets[] = [];
  let index = -1;
  let missing = 0;
  let expectedSize = 0;
  let previousAt = -1;
  let hasher: EpochHasher | null = null;

  /** Closes full epochs and opens the next, until one has room; false after the last. */
  function makeRoom(): boolean {
    while (missing === 0) {
      if (hasher !== null) buckets.push(hasher.buckets());
      hasher = null;
      index += 1;
      const epoch = epochs[index];
      const bytes = heads[index];
      if (epoch === undefined || bytes === undefined) return false;
      out.set(bytes, at);
      at += bytes.length;
      missing = epoch.recordCount;
      expectedSize = recordSize(epoch.dimension);
      previousAt = -1;
      hasher = new EpochHasher(listId, epoch, sha256);
    }
    return true;
  }

  return {
    add(record) {
      if (!makeRoom()) throw new FaceError('invalid-argument', 'more records than were announced');
      assertRecord(record, expectedSize);
      if (previousAt >= 0 && compareBytes(out, previousAt, record, 0, lookupTagBytes) >= 0) {
        throw new FaceError('invalid-argument', 'records must come in the order of their tags, each once');
      }
      out.set(record, at);
      previousAt = at;
      at += record.length;
      missing -= 1;
      hasher?.add(record);
    },
    finish() {
      if (makeRoom()) throw new FaceError('invalid-argument', 'fewer records than were announced');
      const hashed = epochs.map((epoch, i) => ({ ...epoch, hashes: buckets[i]?.hashes ?? new Uint8Array() }));
      return { bytes: out, stateHash: stateHashOfBuckets(listId, hashed, sha256), buckets };
    },
  };
}

/**
 * Writes a whole pack, each epoch's records sorted by tag.
 * @throws FaceError `invalid-argument` as {@link createPackWriter}, for a wrong length or deadline and for a repeated tag
 */
export function encodePack(input: PackInput): Uint8Array {
  const epochs = input.epochs.map((epoch) => ({ ...epoch, recordCount: epoch.records.length }));
  const writer = createPackWriter({ ...input, epochs });
  for (const { records } of epochs) {
    const sorted = [...records].sort((a, b) => compareBytes(a, 0, b, 0, lookupTagBytes));
    for (const record of sorted) writer.add(record);
  }
  return writer.finish().bytes;
}
