import { createHash } from 'node:crypto';
import type { ConsentLedgerLine } from '@svc/protocol';
import { canonicalJson } from '../../platform/canonical-json.ts';

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
export interface RawLine {
  readonly bytes: Buffer | null;
  /** False for a last line that no line feed ends: the file was cut. */
  readonly complete: boolean;
}

/** Splits at line feeds alone (a personId may hold any other line separator), and never holds more than a line and a chunk. */
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
