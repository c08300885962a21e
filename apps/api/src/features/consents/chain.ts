import { createHash } from 'node:crypto';
import type { ConsentEntry, ConsentLedgerLine } from '@svc/protocol';
import canonicalize from 'canonicalize';

/** The canonical form of a JSON value (RFC 8785) in UTF-8, for reproducible hashes. */
export function canonicalJson(value: object): Buffer {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return Buffer.from(text, 'utf8');
}

/** Identifies the format of chain and export; a changed format gets another name. */
export const LEDGER_FORMAT = 'svc-consent-ledger/1';
export const SALT_BYTES = 32;

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The predecessor hash of a list's first entry: 32 bytes that bind the chain to its account and list. */
export function genesisHash(accountId: string, listId: string): Buffer {
  return sha256(canonicalJson([LEDGER_FORMAT, accountId, listId]));
}

/**
 * SHA-256(salt ‖ canonical record): binding, and reveals nothing once record and salt are deleted.
 * @param salt 32 random bytes, for this record only
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

const NEWLINE = 0x0a;
/** Far more than the longest possible line; a longer one is invalid. */
const MAX_LINE_BYTES = 65_536;

/** Encodes lines of an export and computes the digest for its last line. */
export function createLedgerWriter() {
  const digest = createHash('sha256');
  return {
    /** UTF-8; each line in canonical form, terminated by a line feed. */
    write(...lines: readonly ConsentLedgerLine[]): Buffer {
      const bytes = Buffer.concat(lines.flatMap((line) => [canonicalJson(line), Buffer.of(NEWLINE)]));
      digest.update(bytes);
      return bytes;
    },
    /** Hex digest of all lines so far. */
    sha256: () => digest.copy().digest('hex'),
  };
}

/** A line without its line feed; `bytes` is null when it is too long. */
interface RawLine {
  readonly bytes: Buffer | null;
  /** False for a last line without a line feed: the file is truncated. */
  readonly complete: boolean;
}

/** Splits at line feeds only, since a personId may contain other line separators. Holds at most a line and a chunk. */
export async function* splitLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<RawLine> {
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  for await (const chunk of source) {
    let bytes = Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      yield { bytes: tooLong || end > MAX_LINE_BYTES ? null : bytes.subarray(0, end), complete: true };
      tooLong = false;
      bytes = bytes.subarray(end + 1);
    }
    tooLong ||= bytes.length > MAX_LINE_BYTES;
    rest = tooLong ? Buffer.alloc(0) : bytes;
  }
  if (rest.length > 0 || tooLong) yield { bytes: tooLong ? null : rest, complete: false };
}
