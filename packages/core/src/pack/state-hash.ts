import { sha256 } from '@noble/hashes/sha2.js';
import { fields, uint, utf8 } from './bytes.ts';

interface HashedEpoch {
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  readonly checkRecord: Uint8Array;
  /** In the order of their tags. */
  readonly records: Iterable<Uint8Array>;
}

const bucketCount = 256;
const epochLabel = utf8('svc/state-epoch/v1');
const stateLabel = utf8('svc/state/v1');

/** SHA-256 of the records of each bucket, joined; a record's bucket is the first byte of its tag. */
function bucketHashes(records: Iterable<Uint8Array>): Uint8Array {
  const hashes = new Uint8Array(bucketCount * 32);
  let bucket = 0;
  let hash = sha256.create();
  const close = (next: number): void => {
    for (; bucket < next; bucket++) {
      hashes.set(hash.digest(), bucket * 32);
      hash = sha256.create();
    }
  };
  for (const record of records) {
    close(record[0] ?? 0);
    hash.update(record);
  }
  close(bucketCount);
  return hashes;
}

function epochHash(listId: string, e: HashedEpoch): Uint8Array {
  const head = fields(
    epochLabel,
    utf8(listId),
    uint(e.epoch, 4),
    utf8(e.engineId),
    uint(e.dimension, 2),
    e.checkRecord,
  );
  return sha256.create().update(head).update(bucketHashes(e.records)).digest();
}

/**
 * Hash of what a list holds, whatever its version: over each epoch's 256 bucket hashes, so that a change of some records
 * costs only their buckets. docs/pack-format.md gives the bytes.
 */
export function stateHash(listId: string, epochs: readonly HashedEpoch[]): Uint8Array {
  const hash = sha256.create().update(fields(stateLabel, utf8(listId)));
  for (const epoch of epochs) hash.update(epochHash(listId, epoch));
  return hash.digest();
}
