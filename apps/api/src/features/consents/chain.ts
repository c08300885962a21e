import { createHash } from 'node:crypto';
import type { ConsentEntry } from '@svc/protocol';
import { canonicalJson } from '../../platform/canonical-json.ts';

/** Names the format of chain and export; another format gets another name. */
export const LEDGER_FORMAT = 'svc-consent-ledger/1';
export const SALT_BYTES = 32;

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** What the first entry of a list's chain follows: 32 bytes that bind the chain to its account and list. */
export function genesisHash(accountId: string, listId: string): Buffer {
  return sha256(canonicalJson([LEDGER_FORMAT, accountId, listId]));
}

/**
 * SHA-256(salt ‖ canonical record): binds to the record, and tells nothing of it once record and salt are gone.
 * @param salt 32 random bytes, of this record alone
 */
export function commitmentOf(salt: Uint8Array, consent: ConsentEntry): Buffer {
  return sha256(salt, canonicalJson(consent));
}

/** SHA-256(previous entry's hash ‖ seq as 8 bytes, big-endian ‖ commitment). @param seq from 1 */
export function entryHashOf(previous: Uint8Array, seq: number, commitment: Uint8Array): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(seq));
  return sha256(previous, place, commitment);
}
