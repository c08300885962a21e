import type { ConsentEntry, ConsentLedgerLine } from '@svc/protocol';

const FORMAT = 'svc-consent-ledger/1';

/** Why a ledger does not hold together; see docs/consent.md. */
export type LedgerFault =
  | 'unreadable'
  | 'other-account'
  | 'order'
  | 'sequence'
  | 'entry-hash'
  | 'content'
  | 'half-erased'
  | 'head'
  | 'digest'
  | 'cut'
  | 'rewritten';

export interface ChainHead {
  readonly length: number;
  /** Hex. */
  readonly entryHash: string;
}

export interface LedgerReport {
  /** Null when everything fits. */
  readonly fault: LedgerFault | null;
  /** Line of the export, from 1, at which the fault was found. */
  readonly line: number;
  readonly entries: number;
  /** Entries whose content was erased when its time was over. */
  readonly erased: number;
  /** Null for a list without a chain. */
  readonly head: ChainHead | null;
  /** The person's records whose content is what the chain commits to. */
  readonly records: readonly (ConsentEntry & { readonly seq: number })[];
}

const encoder = new TextEncoder();

/** RFC 8785 for what a ledger and a wording hold: texts, booleans, null, whole numbers, and objects and arrays of them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all));
}

/** SHA-256 of a value's canonical form, in hex. */
export const hashOf = async (value: unknown): Promise<string> =>
  toHex(await sha256(encoder.encode(canonicalJson(value))));

function placeOf(seq: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seq));
  return bytes;
}

/** Lines of at most this many are hashed before the page gets a turn. */
const LINES_A_TURN = 200;

type Line<Type extends ConsentLedgerLine['type']> = Extract<ConsentLedgerLine, { readonly type: Type }>;

export interface LedgerQuestion {
  readonly accountId: string;
  readonly listId: string;
  readonly personId: string;
  /** Head that was seen before: the chain has to go on from it. */
  readonly seen?: ChainHead | null;
  readonly onProgress?: (entries: number) => void;
  readonly signal?: AbortSignal;
}

/** A fault that ends the reading. */
class LedgerError extends Error {
  constructor(readonly fault: LedgerFault) {
    super(fault);
  }
}

/** One pass over the export of a list: recomputes each hash, and collects the person's records. */
class Reading {
  entries = 0;
  erased = 0;
  line = 0;
  head: ChainHead | null = null;
  readonly records: (ConsentEntry & { readonly seq: number })[] = [];
  #hash: Uint8Array | null = null;
  #state: 'start' | 'open' | 'chain' | 'after' | 'ended' = 'start';
  #digested: string[] = [];

  constructor(readonly o: LedgerQuestion) {}

  async take(text: string): Promise<void> {
    this.line += 1;
    const line = JSON.parse(text) as ConsentLedgerLine;
    if (canonicalJson(line) !== text) throw new LedgerError('unreadable');
    if (line.type === 'end') return this.#end(line);
    this.#digested.push(text, '\n');
    if (line.type === 'ledger') this.#begin(line);
    else if (line.type === 'chain') await this.#chain(line);
    else if (line.type === 'entry') await this.#entry(line);
    else if (line.type === 'head') this.#head(line);
    else if (this.#state === 'chain' || this.#state === 'ended') throw new LedgerError('order');
  }

  async finish(): Promise<void> {
    if (this.#state !== 'ended') throw new LedgerError('cut');
  }

  #expect(...states: readonly string[]): void {
    if (!states.includes(this.#state)) throw new LedgerError('order');
  }

  #begin({ accountId, format }: Line<'ledger'>): void {
    this.#expect('start');
    if (accountId !== this.o.accountId || format !== FORMAT) throw new LedgerError('other-account');
    this.#state = 'open';
  }

  async #chain({ listId }: Line<'chain'>): Promise<void> {
    this.#expect('open');
    if (listId !== this.o.listId) throw new LedgerError('order');
    this.#hash = await sha256(encoder.encode(canonicalJson([FORMAT, this.o.accountId, listId])));
    this.#state = 'chain';
  }

  async #entry({ seq, commitment, entryHash, salt, consent }: Line<'entry'>): Promise<void> {
    this.#expect('chain');
    this.entries += 1;
    if (seq !== this.entries || this.#hash === null) throw new LedgerError('sequence');
    this.#hash = await sha256(this.#hash, placeOf(seq), fromHex(commitment));
    if (toHex(this.#hash) !== entryHash) throw new LedgerError('entry-hash');
    const { seen } = this.o;
    if (seen?.length === seq && seen.entryHash !== entryHash) throw new LedgerError('rewritten');
    if ((salt === null) !== (consent === null)) throw new LedgerError('half-erased');
    if (salt === null || consent === null) {
      this.erased += 1;
      return;
    }
    const committed = toHex(await sha256(fromHex(salt), encoder.encode(canonicalJson(consent))));
    if (committed !== commitment || consent.listId !== this.o.listId) throw new LedgerError('content');
    if (consent.personId === this.o.personId) this.records.push({ ...consent, seq });
  }

  #head({ listId, length, entryHash }: Line<'head'>): void {
    this.#expect('chain');
    const isSame = listId === this.o.listId && length === this.entries && this.#hash !== null;
    if (!isSame || toHex(this.#hash as Uint8Array) !== entryHash) throw new LedgerError('head');
    this.head = { length, entryHash };
    this.#state = 'after';
  }

  async #end({ sha256: digest, entries }: Line<'end'>): Promise<void> {
    this.#expect('open', 'after');
    const seen = this.o.seen ?? null;
    if (seen !== null && seen.length > this.entries) throw new LedgerError('rewritten');
    if (entries !== this.entries) throw new LedgerError('sequence');
    const whole = await crypto.subtle.digest('SHA-256', await new Blob(this.#digested).arrayBuffer());
    this.#digested = [];
    if (toHex(new Uint8Array(whole)) !== digest) throw new LedgerError('digest');
    this.#state = 'ended';
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new LedgerError('cut');
}

/**
 * Verifies the export of a list's ledger in this browser: each entry has to follow from the one before it, and to hold
 * what it commits to.
 * @param body of `GET /v1/consents?listId=` as `application/x-ndjson`
 * @throws the signal's reason, and what the connection throws
 */
export async function verifyLedger(body: AsyncIterable<Uint8Array>, question: LedgerQuestion): Promise<LedgerReport> {
  const reading = new Reading(question);
  let fault: LedgerFault | null = null;
  try {
    for await (const line of linesOf(body)) {
      await reading.take(line);
      if (reading.line % LINES_A_TURN !== 0) continue;
      question.signal?.throwIfAborted();
      question.onProgress?.(reading.entries);
      await new Promise((resolve) => setTimeout(resolve));
    }
    await reading.finish();
  } catch (error) {
    if (error instanceof LedgerError) fault = error.fault;
    else if (error instanceof SyntaxError || error instanceof RangeError) fault = 'unreadable';
    else throw error;
  }
  const { line, entries, erased, head, records } = reading;
  return { fault, line, entries, erased, head, records };
}
