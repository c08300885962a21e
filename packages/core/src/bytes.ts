import { FaceError } from './errors.ts';

/**
 * Zeroed memory for a secret, wiped completely by `fill(0)`. Do not use `new Uint8Array(length)`: V8 keeps arrays of up
 * to 64 bytes among its objects and copies their content, without erasing it, when the collector moves them or their
 * `buffer` or a `subarray` is first used. A separate buffer stays in place.
 * @returns `length` bytes, wiped by the caller
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/** A copy in {@link secretBytes}, wiped by the caller. `source` is only read. */
export function secretCopy(source: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(source.length);
  copy.set(source);
  return copy;
}

const highSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const lowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * UTF-8 (RFC 3629). A lone surrogate becomes the three bytes that a plain encoder would give, so different strings
 * always have different bytes.
 */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    let point = text.charCodeAt(i);
    const next = text.charCodeAt(i + 1);
    if (highSurrogate(point) && lowSurrogate(next)) {
      point = 0x10000 + ((point - 0xd800) << 10) + (next - 0xdc00);
      i++;
    }
    if (point < 0x80) {
      bytes[n++] = point;
    } else if (point < 0x800) {
      bytes[n++] = 0xc0 | (point >> 6);
      bytes[n++] = 0x80 | (point & 63);
    } else if (point < 0x10000) {
      bytes[n++] = 0xe0 | (point >> 12);
      bytes[n++] = 0x80 | ((point >> 6) & 63);
      bytes[n++] = 0x80 | (point & 63);
    } else {
      bytes[n++] = 0xf0 | (point >> 18);
      bytes[n++] = 0x80 | ((point >> 12) & 63);
      bytes[n++] = 0x80 | ((point >> 6) & 63);
      bytes[n++] = 0x80 | (point & 63);
    }
  }
  return bytes.subarray(0, n);
}

export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** True for 1 to 255 printable ASCII characters, the format of list, device, engine and key ids. */
function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text);
}

export function assertIdentifier(text: unknown, what: string): void {
  if (!isIdentifier(text))
    throw new FaceError('invalid-argument', `${what} must be 1 to 255 printable ASCII characters`);
}

function isUint(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

export function assertUint(value: unknown, max: number, what: string): void {
  if (!isUint(value, max)) throw new FaceError('invalid-argument', `${what} is out of range`);
}

export const maxU32 = 0xffff_ffff;

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Big-endian integer of 1, 2, 4 or 8 bytes; 8 bytes hold safe integers. */
export function uint(value: number, bytes: 1 | 2 | 4 | 8): Uint8Array {
  const out = new Uint8Array(bytes);
  let rest = value;
  for (let i = bytes - 1; i >= 0; i--) {
    out[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return out;
}

/** Each field after its length (u16, big-endian), so that different lists of fields never share an encoding. */
export function fields(...parts: readonly Uint8Array[]): Uint8Array {
  return concat(parts.flatMap((part) => [uint(part.length, 2), part]));
}

/** -1, 0 or 1 if `length` bytes at `a[aStart]` are less than, equal to or greater than those at `b[bStart]`. */
export function compareBytes(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, length: number): number {
  for (let i = 0; i < length; i++) {
    const difference = (a[aStart + i] ?? 0) - (b[bStart + i] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return 0;
}

/** Reads bytes forwards; past the end it throws the error of the caller's format. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fail: (why: string) => FaceError;
  #at = 0;

  constructor(bytes: Uint8Array, fail: (why: string) => FaceError) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fail = fail;
  }

  /** Bytes read so far. */
  get at(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** A view of the next `length` bytes. */
  take(length: number): Uint8Array {
    return this.#bytes.subarray(this.#advance(length), this.#at);
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  /** u64 that must be a safe integer. */
  u64(): number {
    const at = this.#advance(8);
    const value = this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
    if (!Number.isSafeInteger(value)) throw this.#fail('integer above 2^53 - 1');
    return value;
  }

  /** Printable ASCII of `length` bytes, at least one. */
  identifier(length: number): string {
    const text = String.fromCharCode(...this.take(Math.min(length, 256)));
    if (!isIdentifier(text)) throw this.#fail('not an identifier');
    return text;
  }

  expect(expected: Uint8Array): void {
    const found = this.take(expected.length);
    if (compareBytes(found, 0, expected, 0, expected.length) !== 0) throw this.#fail('wrong magic');
  }

  end(): void {
    if (this.remaining !== 0) throw this.#fail('trailing bytes');
  }

  #advance(length: number): number {
    if (length > this.remaining) throw this.#fail('cut short');
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
