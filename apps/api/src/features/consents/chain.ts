import { createHash } from 'node:crypto';
import { type ConsentEntry, type ConsentLedgerLine, consentLedgerLineSchema } from '@svc/protocol';
import {
  type ChainHead,
  canonicalJson as canonicalText,
  commitmentBytes,
  entryBytes,
  genesisBytes,
  type LedgerReport,
  verifyLedger as verify,
} from '@svc/protocol/ledger';

/** The canonical form of a JSON value (RFC 8785) in UTF-8, for reproducible hashes. */
export const canonicalJson = (value: object): Buffer => Buffer.from(canonicalText(value), 'utf8');

export const SALT_BYTES = 32;

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** The predecessor hash of a list's first entry: 32 bytes. */
export const genesisHash = (accountId: string, listId: string): Buffer => sha256(genesisBytes(accountId, listId));

/** @param salt 32 random bytes, for this record only */
export const commitmentOf = (salt: Uint8Array, consent: ConsentEntry): Buffer => sha256(commitmentBytes(salt, consent));

/** @param seq from 1 */
export const entryHashOf = (previous: Uint8Array, seq: number, commitment: Uint8Array): Buffer =>
  sha256(entryBytes(previous, seq, commitment));

/** Encodes lines of an export and computes the digest for its last line. */
export function createLedgerWriter() {
  const digest = createHash('sha256');
  return {
    /** UTF-8; each line in canonical form, terminated by a line feed. */
    write(...lines: readonly ConsentLedgerLine[]): Buffer {
      const bytes = Buffer.from(lines.map((line) => `${canonicalText(line)}\n`).join(''), 'utf8');
      digest.update(bytes);
      return bytes;
    },
    /** Hex digest of all lines so far. */
    sha256: () => digest.copy().digest('hex'),
  };
}

/**
 * Verifies an exported ledger without a database (docs/guide/consent.md).
 * @param source the export's bytes, in chunks of any size
 * @param earlier heads kept from earlier exports: each must still be in its chain
 */
export function verifyLedger(
  source: AsyncIterable<Uint8Array>,
  earlier: readonly ChainHead[] = [],
): Promise<LedgerReport> {
  return verify(source, {
    hash: { sha256, stream: () => createHash('sha256') },
    earlier,
    readLine: (value) => consentLedgerLineSchema.safeParse(value).data ?? null,
  });
}
