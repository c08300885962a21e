import { createHash } from 'node:crypto';
import type { ConsentEntry, ConsentLedgerLine } from '@svc/protocol';
import canonicalize from 'canonicalize';

/**
 * UTF-8 of the one canonical form of a JSON value (RFC 8785): what hashes are made of, so that others can remake them.
 */
export function canonicalJson(value: object): Buffer {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return Buffer.from(text, 'utf8');
}

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

const NEWLINE = 0x0a;
/** Many times the longest line there can be: what is longer is no ledger. */
const MAX_LINE_BYTES = 65_536;

/** Writes lines of an export and keeps the digest that its last line bears. */
export function createLedgerWriter() {
  const digest = createHash('sha256');
  return {
    /** UTF-8, each line in canonical form and ended by a line feed. */
    write(...lines: readonly ConsentLedgerLine[]): Buffer {
      const bytes = Buffer.concat(lines.flatMap((line) => [canonicalJson(line), Buffer.of(NEWLINE)]));
      digest.update(bytes);
      return bytes;
    },
    /** Hex, of everything written so far. */
    sha256: () => digest.copy().digest('hex'),
  };
}

/** A line of a file without its line feed; `bytes` is null for one that is too long to be looked at. */
interface RawLine {
  readonly bytes: Buffer | null;
  /** False for a last line that no line feed ends: the file was cut. */
  readonly complete: boolean;
}

/**
 * Splits at line feeds alone (a personId may hold any other line separator), and never holds more than a line and a
 * chunk.
 */
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
