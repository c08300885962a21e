const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];
const SPACES = new Uint8Array(256);
for (const char of ' \t\n\r') SPACES[char.charCodeAt(0)] = 1;
/** Bytes that end a number or a literal. */
const ENDS = new Uint8Array(256);
for (const char of ' \t\n\r,:]}[{"') ENDS[char.charCodeAt(0)] = 1;
/** Deeper than any body of this API. */
const MAX_DEPTH = 16;

/** Position of a string's characters, without its quotes. */
export interface TextRange {
  /** RFC 6901 */
  readonly pointer: string;
  readonly start: number;
  readonly end: number;
}

export type JsonScan =
  | { readonly ok: true; readonly texts: readonly TextRange[] }
  /** Invalid JSON; or more values or nesting than any body of this API. */
  | { readonly ok: false; readonly reason: 'syntax' | 'structure' }
  /** An object with a duplicate member. */
  | { readonly ok: false; readonly reason: 'duplicate'; readonly parent: string; readonly name: string };

class ScanError extends Error {
  constructor(readonly scan: JsonScan & { readonly ok: false }) {
    super(scan.reason);
  }
}

const SYNTAX = { ok: false, reason: 'syntax' } as const;
const STRUCTURE = { ok: false, reason: 'structure' } as const;

/** RFC 6901 section 3: `~` and `/` are escaped, in this order. */
const pointerTo = (parent: string, name: string) => `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * Index of the quote that closes the string begun at `start`; -1 for none. Uses native search, to skip photos quickly.
 */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

class Scanner {
  readonly texts: TextRange[] = [];
  readonly #json: Buffer;
  readonly #limit: number;
  readonly #isWanted: (pointer: string) => boolean;
  #at = 0;
  #count = 0;

  constructor(json: Buffer, limit: number, isWanted: (pointer: string) => boolean) {
    this.#json = json;
    this.#limit = limit;
    this.#isWanted = isWanted;
  }

  whole(): void {
    this.#value('', 0);
    this.#skipSpaces();
    if (this.#at < this.#json.length) throw new ScanError(SYNTAX);
  }

  #skipSpaces(): void {
    while (SPACES[this.#json[this.#at] ?? QUOTE] === 1) this.#at += 1;
  }

  /** Skips white space, and the next byte if it is `byte`. @returns whether it was */
  #passes(byte: number): boolean {
    this.#skipSpaces();
    if (this.#json[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #demand(byte: number): void {
    if (!this.#passes(byte)) throw new ScanError(SYNTAX);
  }

  /** Counts a value and checks its depth. */
  #enter(depth: number): void {
    this.#count += 1;
    if (this.#count > this.#limit || depth > MAX_DEPTH) throw new ScanError(STRUCTURE);
  }

  #value(pointer: string, depth: number): void {
    this.#enter(depth);
    this.#skipSpaces();
    const byte = this.#json[this.#at];
    if (byte === QUOTE) this.#string(pointer);
    else if (byte === OPEN_OBJECT) this.#object(pointer, depth);
    else if (byte === OPEN_ARRAY) this.#array(pointer, depth);
    else this.#literal();
  }

  #string(pointer: string): void {
    const [start, end] = this.#passString();
    if (this.#isWanted(pointer)) this.texts.push({ pointer, start, end });
  }

  #passString(): readonly [number, number] {
    const start = this.#at + 1;
    const end = endOfString(this.#json, this.#at);
    if (end === -1) throw new ScanError(SYNTAX);
    this.#at = end + 1;
    return [start, end];
  }

  /** A member's name with its escapes resolved, since one name has many spellings. */
  #name(): string {
    this.#skipSpaces();
    if (this.#json[this.#at] !== QUOTE) throw new ScanError(SYNTAX);
    const [start, end] = this.#passString();
    try {
      const name: unknown = JSON.parse(this.#json.toString('utf8', start - 1, end + 1));
      return String(name);
    } catch {
      throw new ScanError(SYNTAX);
    }
  }

  #object(pointer: string, depth: number): void {
    this.#at += 1;
    if (this.#passes(CLOSE_OBJECT)) return;
    const names = new Set<string>();
    do {
      const name = this.#name();
      if (names.has(name)) throw new ScanError({ ok: false, reason: 'duplicate', parent: pointer, name });
      names.add(name);
      this.#demand(COLON);
      this.#value(pointerTo(pointer, name), depth + 1);
    } while (this.#passes(COMMA));
    this.#demand(CLOSE_OBJECT);
  }

  #array(pointer: string, depth: number): void {
    this.#at += 1;
    if (this.#passes(CLOSE_ARRAY)) return;
    let index = 0;
    do {
      this.#value(`${pointer}/${index}`, depth + 1);
      index += 1;
    } while (this.#passes(COMMA));
    this.#demand(CLOSE_ARRAY);
  }

  #literal(): void {
    const start = this.#at;
    while (this.#at < this.#json.length && ENDS[this.#json[this.#at] ?? 0] === 0) this.#at += 1;
    if (this.#at === start) throw new ScanError(SYNTAX);
  }
}

/**
 * Scans the structure of a JSON text (RFC 8259) without building it: parsing fifteen megabytes of brackets takes
 * seconds and a gigabyte, scanning them milliseconds. The content of strings, numbers and literals is not checked:
 * `JSON.parse` does that later.
 * @param json UTF-8 bytes
 * @param limit most values, at any depth
 * @param isWanted selects strings to locate by JSON pointer
 */
export function scanJson(json: Buffer, limit: number, isWanted: (pointer: string) => boolean): JsonScan {
  const scanner = new Scanner(json, limit, isWanted);
  try {
    scanner.whole();
  } catch (error) {
    if (error instanceof ScanError) return error.scan;
    throw error;
  }
  return { ok: true, texts: scanner.texts };
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const FOREIGN = 0xff;

/** The character of an escape and its length in bytes; null for an invalid one. */
function readEscape(json: Buffer, at: number, end: number): readonly [number, number] | null {
  const char = String.fromCharCode(json[at + 1] ?? 0);
  if (char === '"' || char === '\\' || char === '/') return [char.charCodeAt(0), 2];
  const simple = SIMPLE_ESCAPES[char];
  if (simple !== undefined) return [simple.charCodeAt(0), 2];
  const hex = json.toString('latin1', at + 2, Math.min(at + 6, end));
  if (char !== 'u' || !/^[0-9A-Fa-f]{4}$/.test(hex)) return null;
  const unit = Number.parseInt(hex, 16);
  return [unit < 0x80 ? unit : FOREIGN, 6];
}

/**
 * Resolves a string's escapes in place; characters beyond ASCII become 0xff. Wipes what remains after the new end.
 * @returns the new end; null for an invalid JSON string
 */
export function unescapeInPlace(json: Buffer, { start, end }: TextRange): number | null {
  const text = json.subarray(start, end);
  // Raw line breaks, which the base64 decoder would skip.
  if (text.includes(0x0a) || text.includes(0x0d)) return null;
  let from = text.indexOf(BACKSLASH);
  if (from === -1) return end;
  let to = from;
  while (from < text.length) {
    const byte = text[from] ?? 0;
    if (byte === BACKSLASH) {
      const read = readEscape(json, start + from, end);
      if (read === null) return null;
      text[to] = read[0];
      from += read[1];
    } else {
      text[to] = byte;
      from += 1;
    }
    to += 1;
  }
  text.fill(0, to);
  return start + to;
}
