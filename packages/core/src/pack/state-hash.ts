import { sha256 } from '@noble/hashes/sha2.js';
import { fields, uint, utf8 } from '../bytes.ts';

/** An incremental SHA-256 (FIPS 180-4). Default: @noble/hashes; the platform's own where speed matters. */
export interface RunningSha256 {
  update(bytes: Uint8Array): unknown;
  /** 32 bytes. Do not call `update` afterwards. */
  digest(): Uint8Array;
}
/** Starts a new hash. */
export type Sha256Factory = () => RunningSha256;

interface EpochHead {
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  readonly checkRecord: Uint8Array;
}

/**
 * Hashes of an epoch's records, in buckets by the first byte of the tag. After a change only the changed buckets are
 * hashed again.
 */
export interface EpochBuckets {
  /** SHA-256 of each bucket's records, joined: 256 · 32 bytes. */
  readonly hashes: Uint8Array;
  /** Number of records in each of the 256 buckets. */
  readonly counts: Uint32Array;
}

const bucketCount = 256;
const hashBytes = 32;
const epochLabel = utf8('svc/state-epoch/v1');
const stateLabel = utf8('svc/state/v1');

export const nobleSha256: Sha256Factory = () => sha256.create();

/**
 * Hashes one epoch's records incrementally. The caller adds them by increasing tag; this is not checked. A record's
 * bucket is the first byte of its tag.
 */
export class EpochHasher {
  readonly #listId: string;
  readonly #epoch: EpochHead;
  readonly #create: Sha256Factory;
  readonly #hashes = new Uint8Array(bucketCount * hashBytes);
  readonly #counts = new Uint32Array(bucketCount);
  #bucket = 0;
  #hash: RunningSha256;
  #isEmpty = true;
  /** Hash of an empty bucket, computed once: most buckets of a small list are empty. */
  #emptyHash: Uint8Array | null = null;

  constructor(listId: string, e: EpochHead, create: Sha256Factory = nobleSha256) {
    this.#listId = listId;
    this.#epoch = e;
    this.#create = create;
    this.#hash = create();
  }

  add(record: Uint8Array): void {
    const bucket = record[0] ?? 0;
    this.#closeUpTo(bucket);
    this.#hash.update(record);
    this.#isEmpty = false;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  /** Do not call `add` afterwards. */
  buckets(): EpochBuckets {
    this.#closeUpTo(bucketCount);
    return { hashes: this.#hashes, counts: this.#counts };
  }

  /** SHA-256 of the epoch's head and its 256 bucket hashes. Do not call `add` afterwards. */
  digest(): Uint8Array {
    return epochHash(this.#listId, this.#epoch, this.buckets().hashes, this.#create);
  }

  #closeUpTo(bucket: number): void {
    for (; this.#bucket < bucket; this.#bucket++) {
      this.#hashes.set(this.#isEmpty ? this.#ofNothing() : this.#hash.digest(), this.#bucket * hashBytes);
      if (!this.#isEmpty) this.#hash = this.#create();
      this.#isEmpty = true;
    }
  }

  #ofNothing(): Uint8Array {
    this.#emptyHash ??= this.#create().digest();
    return this.#emptyHash;
  }
}

function epochHash(listId: string, e: EpochHead, hashes: Uint8Array, create: Sha256Factory): Uint8Array {
  const { epoch, engineId, dimension, checkRecord } = e;
  const hash = create();
  hash.update(fields(epochLabel, utf8(listId), uint(epoch, 4), utf8(engineId), uint(dimension, 2), checkRecord));
  hash.update(hashes);
  return hash.digest();
}

/** The state hash from bucket hashes; `epochs` newest first. */
export function stateHashOfBuckets(
  listId: string,
  epochs: readonly (EpochHead & Pick<EpochBuckets, 'hashes'>)[],
  create: Sha256Factory = nobleSha256,
): Uint8Array {
  const epochHashes = epochs.map((epoch) => epochHash(listId, epoch, epoch.hashes, create));
  return combineEpochHashes(listId, epochHashes, create);
}

/**
 * Hash of a list's contents, independent of the version number (docs/internals/pack-format.md), from the hashes of the
 * epochs, newest first.
 */
export function combineEpochHashes(
  listId: string,
  epochHashes: readonly Uint8Array[],
  create: Sha256Factory = nobleSha256,
): Uint8Array {
  const hash = create();
  hash.update(fields(stateLabel, utf8(listId)));
  for (const epochHash of epochHashes) hash.update(epochHash);
  return hash.digest();
}
