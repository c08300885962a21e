import type { ConsentEntry, ConsentLedgerLine } from './operations/consents.ts';

/** Identifies the format of chain and export; a changed format gets another name. */
export const LEDGER_FORMAT = 'svc-consent-ledger/1';

type Bytes = Uint8Array<ArrayBuffer>;

/** SHA-256 of the platform. */
interface LedgerHash {
  sha256(bytes: Bytes): Uint8Array | Promise<Uint8Array>;
  /** The digest of bytes that come in parts. */
  stream(): { update(bytes: Bytes): void; digest(): Uint8Array | Promise<Uint8Array> };
}

/**
 * RFC 8785 for what ledgers and wordings hold: texts, booleans, null, whole numbers, and objects and arrays of them.
 * @throws TypeError for a value that has no canonical form
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  const hasForm = typeof value === 'string' ? !/\p{Surrogate}/u.test(value) : isPlain(value);
  if (!hasForm) throw new TypeError('not a JSON value');
  return JSON.stringify(value);
}

const isPlain = (value: unknown) => value === null || typeof value === 'boolean' || Number.isSafeInteger(value);

const encoder = new TextEncoder();
const canonicalBytes = (value: unknown): Bytes => encoder.encode(canonicalJson(value));

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const fromHex = (hex: string): Bytes =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) as Bytes;

function concat(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What is hashed as the predecessor of a list's first entry: it binds the chain to its account and list. */
export const genesisBytes = (accountId: string, listId: string): Bytes =>
  canonicalBytes([LEDGER_FORMAT, accountId, listId]);

/**
 * What is hashed as the commitment to a record: binding, and reveals nothing once record and salt are deleted.
 * @param salt 32 random bytes, for this record only
 */
export const commitmentBytes = (salt: Uint8Array, consent: ConsentEntry): Bytes =>
  concat(salt, canonicalBytes(consent));

/** What is hashed as an entry: previous entry's hash ‖ seq as 8 bytes, big-endian ‖ commitment. @param seq from 1 */
export function entryBytes(previous: Uint8Array, seq: number, commitment: Uint8Array): Bytes {
  const place = new Uint8Array(8);
  new DataView(place.buffer).setBigUint64(0, BigInt(seq));
  return concat(previous, place, commitment);
}

const NEWLINE = 0x0a;
/** Far more than the longest possible line; a longer one is invalid. */
const MAX_LINE_BYTES = 65_536;

/** A line without its line feed. */
interface RawLine {
  /** Null when it is too long. */
  readonly bytes: Bytes | null;
  /** False for a last line without a line feed: the file is truncated. */
  readonly complete: boolean;
}

/** Splits at line feeds only, since a personId may contain other line separators. Holds at most a line and a chunk. */
export async function* splitLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<RawLine> {
  let rest: Bytes = new Uint8Array(0);
  let tooLong = false;
  for await (const chunk of source) {
    let bytes = concat(rest, chunk);
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      yield { bytes: tooLong || end > MAX_LINE_BYTES ? null : bytes.subarray(0, end), complete: true };
      tooLong = false;
      bytes = bytes.subarray(end + 1);
    }
    tooLong ||= bytes.length > MAX_LINE_BYTES;
    rest = tooLong ? new Uint8Array(0) : bytes;
  }
  if (rest.length > 0 || tooLong) yield { bytes: tooLong ? null : rest, complete: false };
}

/** Kinds of problems in a ledger. */
export type LedgerProblem =
  | 'malformed-line'
  | 'unexpected-line'
  | 'sequence-broken'
  | 'entry-hash-mismatch'
  | 'commitment-mismatch'
  | 'half-erased'
  | 'head-mismatch'
  | 'count-mismatch'
  | 'digest-mismatch'
  | 'truncated'
  | 'earlier-head-mismatch'
  | 'earlier-head-missing';

interface LedgerFinding {
  readonly problem: LedgerProblem;
  /** Line number in the export, from 1. */
  readonly line: number;
  readonly listId: string | null;
  readonly seq: number | null;
}

/**
 * Length of a list's chain and hash of its last entry (hex). Compared with a later export, it shows whether earlier
 * entries were rewritten.
 */
export interface ChainHead {
  readonly listId: string;
  readonly length: number;
  readonly entryHash: string;
}

export interface LedgerReport {
  readonly valid: boolean;
  /** Null when the first line does not contain it. */
  readonly accountId: string | null;
  readonly entries: number;
  /** Number of entries with erased content, which is not a finding. */
  readonly erased: number;
  /** Number of records from before the introduction of chains; nothing protects them. */
  readonly unchained: number;
  readonly heads: readonly ChainHead[];
  /** The first hundred findings. */
  readonly findings: readonly LedgerFinding[];
  readonly findingCount: number;
}

interface LedgerCheck {
  readonly hash: LedgerHash;
  /** Heads kept from earlier exports: each must still be in its chain. */
  readonly earlier?: readonly ChainHead[];
  /** The line of a parsed value, or null; default: any object, whose members are then found wrong by their hashes. */
  readonly readLine?: (value: unknown) => ConsentLedgerLine | null;
  /** Called for each entry whose content is what the chain commits to; null for an erased one. */
  readonly onEntry?: (seq: number, consent: ConsentEntry | null) => void;
}

type Line<Type extends ConsentLedgerLine['type']> = Extract<ConsentLedgerLine, { readonly type: Type }>;

interface OpenChain {
  readonly listId: string;
  seq: number;
  hash: string;
}

const MAX_FINDINGS = 100;
const asLine = (value: unknown): ConsentLedgerLine | null =>
  typeof value === 'object' ? (value as ConsentLedgerLine | null) : null;

/** One pass over a ledger's lines. After a finding it continues with the line's claim, to report a fault only once. */
class Verification {
  readonly heads: ChainHead[] = [];
  readonly findings: LedgerFinding[] = [];
  findingCount = 0;
  accountId: string | null = null;
  entries = 0;
  erased = 0;
  unchained = 0;
  readonly #o: LedgerCheck;
  readonly #digest: ReturnType<LedgerHash['stream']>;
  readonly #seen = new Set<string>();
  readonly #earlier: ReadonlyMap<string, ChainHead>;
  readonly #metEarlier = new Set<string>();
  #line = 0;
  #isEnded = false;
  #chain: OpenChain | null = null;

  constructor(o: LedgerCheck) {
    this.#o = o;
    this.#digest = o.hash.stream();
    this.#earlier = new Map((o.earlier ?? []).map((head) => [`${head.listId}:${head.length}`, head]));
  }

  async take({ bytes, complete }: RawLine): Promise<void> {
    this.#line += 1;
    const line = bytes === null ? null : this.#parse(bytes);
    if (!complete) this.#find('truncated');
    if (line === null) this.#find('malformed-line');
    else if (this.#isEnded || (line.type === 'ledger') !== (this.#line === 1)) this.#find('unexpected-line');
    else await this.#dispatch(line);
    if (bytes !== null && !this.#isEnded) this.#digest.update(concat(bytes, Uint8Array.of(NEWLINE)));
  }

  finish(): void {
    if (!this.#isEnded) this.#find('truncated');
    for (const [key, { listId, length }] of this.#earlier) {
      if (!this.#metEarlier.has(key)) this.#find('earlier-head-missing', { listId, seq: length });
    }
  }

  #parse(bytes: Bytes): ConsentLedgerLine | null {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      const value: unknown = JSON.parse(text);
      // Another encoding of the same value (a duplicate member, for example) could show readers something that was not
      // hashed.
      return canonicalJson(value) === text ? (this.#o.readLine ?? asLine)(value) : null;
    } catch {
      return null;
    }
  }

  #find(problem: LedgerProblem, at?: { readonly listId: string; readonly seq: number }): void {
    this.findingCount += 1;
    if (this.findings.length >= MAX_FINDINGS) return;
    const { listId, seq } = at ?? this.#chain ?? { listId: null, seq: null };
    this.findings.push({ problem, line: this.#line, listId, seq });
  }

  async #dispatch(line: ConsentLedgerLine): Promise<void> {
    const chain = this.#chain;
    if (line.type === 'ledger' && line.format !== LEDGER_FORMAT) this.#find('malformed-line');
    else if (line.type === 'ledger') this.accountId = line.accountId;
    else if (line.type === 'chain') await this.#begin(line);
    else if (line.type === 'entry' && chain !== null) await this.#entry(chain, line);
    else if (line.type === 'head' && chain !== null) this.#head(chain, line);
    else if (line.type === 'unchained' && chain === null) this.unchained += 1;
    else if (line.type === 'end') await this.#end(line);
    else this.#find('unexpected-line');
  }

  async #hash(bytes: Bytes): Promise<string> {
    return toHex(await this.#o.hash.sha256(bytes));
  }

  async #begin({ listId }: Line<'chain'>): Promise<void> {
    if (this.#chain !== null || this.#seen.has(listId) || this.unchained > 0) this.#find('unexpected-line');
    this.#seen.add(listId);
    this.#chain = { listId, seq: 0, hash: await this.#hash(genesisBytes(this.accountId ?? '', listId)) };
  }

  async #entry(chain: OpenChain, { seq, salt, commitment, entryHash, consent }: Line<'entry'>): Promise<void> {
    this.entries += 1;
    if (seq !== chain.seq + 1) this.#find('sequence-broken');
    const expected = await this.#hash(entryBytes(fromHex(chain.hash), seq, fromHex(commitment)));
    chain.seq = seq;
    chain.hash = entryHash;
    if (expected !== entryHash) this.#find('entry-hash-mismatch');
    if (salt === null && consent === null) this.erased += 1;
    const isHalf = (salt === null) !== (consent === null);
    if (isHalf) this.#find('half-erased');
    else if (salt === null || consent === null) this.#o.onEntry?.(seq, null);
    else {
      const isCommitted = (await this.#hash(commitmentBytes(fromHex(salt), consent))) === commitment;
      if (isCommitted && consent.listId === chain.listId) this.#o.onEntry?.(seq, consent);
      else this.#find('commitment-mismatch');
    }
    this.#compareEarlier(chain.listId, seq, entryHash);
  }

  #compareEarlier(listId: string, seq: number, entryHash: string): void {
    const key = `${listId}:${seq}`;
    const earlier = this.#earlier.get(key);
    if (earlier === undefined) return;
    this.#metEarlier.add(key);
    if (earlier.entryHash !== entryHash) this.#find('earlier-head-mismatch');
  }

  #head(chain: OpenChain, { listId, length, entryHash }: Line<'head'>): void {
    const matches = chain.listId === listId && chain.seq === length && chain.hash === entryHash;
    if (!matches) this.#find('head-mismatch');
    this.heads.push({ listId, length, entryHash });
    this.#chain = null;
  }

  async #end({ chains, entries, unchained, sha256 }: Line<'end'>): Promise<void> {
    if (this.#chain !== null) this.#find('unexpected-line');
    this.#chain = null;
    this.#isEnded = true;
    const counted = chains === this.heads.length && entries === this.entries && unchained === this.unchained;
    if (!counted) this.#find('count-mismatch');
    if (toHex(await this.#digest.digest()) !== sha256) this.#find('digest-mismatch');
  }
}

/**
 * Verifies an exported ledger without a database; memory grows only by one head per list (docs/guide/consent.md).
 * @param source the export's bytes, in chunks of any size
 */
export async function verifyLedger(source: AsyncIterable<Uint8Array>, o: LedgerCheck): Promise<LedgerReport> {
  const verification = new Verification(o);
  for await (const line of splitLines(source)) await verification.take(line);
  verification.finish();
  const { accountId, entries, erased, unchained, heads, findings, findingCount } = verification;
  return { valid: findingCount === 0, accountId, entries, erased, unchained, heads, findings, findingCount };
}
