import { compareBytes, concat, fields, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import { assertPackHeads, assertRecords, epochHead, packHead, packInvalid, searchRecords } from './pack.ts';
import type { PackContent, PackContentEpoch, PackSource } from './pack-content.ts';
import { lookupTagBytes, recordDeleteAfterMs, recordSize } from './record.ts';
import { combineEpochHashes, EpochHasher, nobleSha256, type Sha256Factory } from './state-hash.ts';

/**
 * Records per block, the unit that a lookup reads and hashes: 5 KiB at dimension 128. An index of a million people
 * takes 3 MB.
 */
const BLOCK_RECORDS = 16;
const HASH_BYTES = 32;
const indexLabel = utf8('svc/pack-index/v1');

/** One epoch of an index, without its records. */
export interface IndexedEpoch {
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  readonly recordCount: number;
  readonly checkRecord: Uint8Array;
}

/**
 * In-memory index of a pack that is stored elsewhere: first tag and hash of each block of records. A lookup takes one
 * read, whatever the size of the list, and rejects a block that has changed since it was indexed.
 */
export interface PackIndex {
  readonly listId: string;
  readonly listVersion: number;
  readonly byteLength: number;
  /** Records of all epochs, without check records. */
  readonly recordCount: number;
  /** Newest first. */
  readonly epochs: readonly IndexedEpoch[];
  /** The earliest deadline of a record, milliseconds since 1970; Infinity without records. */
  readonly nextDeleteAfterMs: number;
  /** 32 bytes over all heads and block hashes; identifies the pack. */
  readonly digest: Uint8Array;
  /** 32 bytes (docs/internals/pack-format.md); null if not requested. */
  readonly stateHash: Uint8Array | null;
  /**
   * A copy of the record with this 16-byte tag; null if there is none. Reads at most one block.
   * @throws FaceError `pack-invalid` if the source has changed since it was indexed. Errors of the source pass through
   */
  find(epoch: number, tag: Uint8Array, source: PackSource): Promise<Uint8Array | null>;
}

interface Blocks {
  /** The first tag of each block, joined. */
  readonly firstTags: Uint8Array;
  /** SHA-256 of each block, joined. */
  readonly hashes: Uint8Array;
}

/** Indexes an epoch's records in batches of any size. */
class BlockIndexer {
  readonly #size: number;
  readonly #firstTags: Uint8Array;
  readonly #hashes: Uint8Array;
  readonly #create: Sha256Factory;
  readonly #previous = new Uint8Array(lookupTagBytes);
  #hash;
  #records = 0;
  nextDeleteAfterMs = Number.POSITIVE_INFINITY;

  constructor(epoch: PackContentEpoch, create: Sha256Factory) {
    const blocks = Math.ceil(epoch.recordCount / BLOCK_RECORDS);
    this.#size = recordSize(epoch.dimension);
    this.#firstTags = new Uint8Array(blocks * lookupTagBytes);
    this.#hashes = new Uint8Array(blocks * HASH_BYTES);
    this.#create = create;
    this.#hash = create();
  }

  get records(): number {
    return this.#records;
  }

  /** @throws FaceError `pack-invalid` */
  add(batch: Uint8Array): void {
    const size = this.#size;
    if (batch.length % size !== 0) throw packInvalid('half a record');
    if (batch.length === 0) return;
    assertRecords(batch, size, this.#records === 0 ? null : this.#previous);
    this.#previous.set(batch.subarray(batch.length - size, batch.length - size + lookupTagBytes));
    for (let at = 0; at < batch.length; at += size) {
      this.nextDeleteAfterMs = Math.min(this.nextDeleteAfterMs, recordDeleteAfterMs(batch.subarray(at, at + size)));
    }
    for (let at = 0; at < batch.length; ) {
      const inBlock = this.#records % BLOCK_RECORDS;
      if (inBlock === 0) this.#begin(batch.subarray(at, at + lookupTagBytes));
      const records = Math.min(BLOCK_RECORDS - inBlock, (batch.length - at) / size);
      this.#hash.update(batch.subarray(at, at + records * size));
      this.#records += records;
      at += records * size;
      if (this.#records % BLOCK_RECORDS === 0) this.#end();
    }
  }

  finish(): Blocks {
    if (this.#records % BLOCK_RECORDS !== 0) this.#end();
    return { firstTags: this.#firstTags, hashes: this.#hashes };
  }

  #begin(tag: Uint8Array): void {
    const at = (this.#records / BLOCK_RECORDS) * lookupTagBytes;
    if (at >= this.#firstTags.length) throw packInvalid('more records than announced');
    this.#firstTags.set(tag, at);
  }

  #end(): void {
    const block = Math.ceil(this.#records / BLOCK_RECORDS) - 1;
    this.#hashes.set(this.#hash.digest(), block * HASH_BYTES);
    this.#hash = this.#create();
  }
}

/** Index of the only block that can hold `tag`; -1 if the tag is below the first block. */
function blockOf(firstTags: Uint8Array, tag: Uint8Array): number {
  let low = 0;
  let high = firstTags.length / lookupTagBytes;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(firstTags, middle * lookupTagBytes, tag, 0, lookupTagBytes) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Reads a content once, checks it as `parsePack` does, and builds the index.
 * @param options `stateHash` adds a second hash of every record; `sha256` replaces the JavaScript implementation
 * @throws FaceError `pack-invalid`, `invalid-argument`. Errors of the content pass through
 */
export async function indexPack(
  content: PackContent,
  options: { readonly stateHash: boolean; readonly sha256?: Sha256Factory | undefined },
): Promise<PackIndex> {
  const { stateHash, sha256 = nobleSha256 } = options;
  assertPackHeads(content, content.epochs);
  const { listId, listVersion } = content;
  const head = packHead(content, content.epochs.length);
  const digest = sha256();
  digest.update(fields(indexLabel, uint(BLOCK_RECORDS, 4)));
  digest.update(head);
  let at = head.length;
  let nextDeleteAfterMs = Number.POSITIVE_INFINITY;
  const epochHashes: Uint8Array[] = [];
  const places = new Map<number, Blocks & { readonly recordsAt: number; readonly epoch: IndexedEpoch }>();
  for (const epoch of content.epochs) {
    const hasher = stateHash ? new EpochHasher(listId, epoch, sha256) : null;
    const blocks = new BlockIndexer(epoch, sha256);
    const size = recordSize(epoch.dimension);
    for await (const batch of epoch.batches()) {
      blocks.add(batch);
      for (let i = 0; hasher !== null && i < batch.length; i += size) hasher.add(batch.subarray(i, i + size));
    }
    if (blocks.records !== epoch.recordCount) throw packInvalid('number of records');
    const indexed = blocks.finish();
    if (hasher !== null) epochHashes.push(hasher.digest());
    nextDeleteAfterMs = Math.min(nextDeleteAfterMs, blocks.nextDeleteAfterMs);
    const begin = epochHead(epoch, epoch.recordCount);
    digest.update(begin);
    digest.update(indexed.hashes);
    const { engineId, dimension, recordCount, checkRecord } = epoch;
    places.set(epoch.epoch, {
      ...indexed,
      recordsAt: at + begin.length,
      epoch: { epoch: epoch.epoch, engineId, dimension, recordCount, checkRecord: checkRecord.slice() },
    });
    at += begin.length + recordCount * size;
  }
  const epochs = [...places.values()].map(({ epoch }) => epoch);
  return {
    listId,
    listVersion,
    byteLength: at,
    recordCount: epochs.reduce((sum, { recordCount }) => sum + recordCount, 0),
    epochs,
    nextDeleteAfterMs,
    digest: digest.digest(),
    stateHash: stateHash ? combineEpochHashes(listId, epochHashes, sha256) : null,
    async find(number, tag, source) {
      if (tag.length !== lookupTagBytes) throw new FaceError('invalid-argument', 'a tag has 16 bytes');
      const place = places.get(number);
      if (place === undefined) return null;
      const block = blockOf(place.firstTags, tag);
      if (block < 0) return null;
      const { dimension, recordCount } = place.epoch;
      const size = recordSize(dimension);
      const records = Math.min(BLOCK_RECORDS, recordCount - block * BLOCK_RECORDS);
      const bytes = await source.read(place.recordsAt + block * BLOCK_RECORDS * size, records * size);
      const hash = sha256();
      hash.update(bytes);
      const same = compareBytes(hash.digest(), 0, place.hashes, block * HASH_BYTES, HASH_BYTES) === 0;
      if (!same || bytes.length !== records * size) throw packInvalid('changed since it was indexed');
      const index = searchRecords(bytes, size, records, tag);
      return index < 0 ? null : Uint8Array.from(bytes.subarray(index * size, (index + 1) * size));
    },
  };
}

/**
 * The content without records whose deadline is `nowMs` or earlier. Reads it once to count the rest.
 * @throws errors of the content
 */
export async function withoutDue(content: PackContent, nowMs: number): Promise<PackContent> {
  const epochs: PackContentEpoch[] = [];
  for (const epoch of content.epochs) {
    const size = recordSize(epoch.dimension);
    const batches = () => keptBatches(epoch, size, nowMs);
    let bytes = 0;
    for await (const batch of batches()) bytes += batch.length;
    epochs.push({ ...epoch, recordCount: bytes / size, batches });
  }
  return { ...content, epochs };
}

async function* keptBatches(epoch: PackContentEpoch, size: number, nowMs: number): AsyncGenerator<Uint8Array> {
  for await (const batch of epoch.batches()) {
    const kept: Uint8Array[] = [];
    for (let at = 0; at < batch.length; at += size) {
      const record = batch.subarray(at, at + size);
      if (recordDeleteAfterMs(record) > nowMs) kept.push(record);
    }
    if (kept.length > 0) yield kept.length * size === batch.length ? batch : concat(kept);
  }
}
