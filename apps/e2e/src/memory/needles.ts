import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Needles are passed between processes in a file, because the searched process must not contain them. */
export function writeNeedles(path: string, needles: readonly Needle[]): void {
  const lines = needles.map(({ name, bytes, elementBytes }) => ({
    name,
    elementBytes,
    hex: Buffer.from(bytes).toString('hex'),
  }));
  writeFileSync(path, JSON.stringify(lines), { mode: 0o600 });
}

export function readNeedles(path: string): readonly Needle[] {
  const lines = JSON.parse(readFileSync(path, 'utf8')) as { name: string; elementBytes: number; hex: string }[];
  return lines.map(({ name, elementBytes, hex }) => ({
    name,
    elementBytes,
    bytes: Uint8Array.from(Buffer.from(hex, 'hex')),
  }));
}

/** A secret in one of the forms in which it could lie in memory. */
export interface Needle {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Size of an element in bytes; a form is searched in pieces of whole elements. */
  readonly elementBytes: number;
}

/** What a search found. */
export interface Scan {
  /** Number of bytes that were searched. */
  readonly bytes: number;
  /** Names of the needles. */
  readonly found: readonly string[];
}

/** A separate program searches a process, or a file with a memory's content, for the needles in a file. */
export async function scan(needles: string, where: number | string): Promise<Scan> {
  const program = ['--conditions=svc-source', '--import', 'tsx', fileURLToPath(new URL('scan.ts', import.meta.url))];
  const place = typeof where === 'number' ? `/proc/${where}` : where;
  const { stdout } = await promisify(execFile)(process.execPath, [...program, needles, place]);
  return JSON.parse(stdout) as Scan;
}

/** Elements per piece: any run of twice as many contains a whole piece. */
const PIECE_ELEMENTS = 8;
/** Piece size of keys, in bytes. */
const PIECE_BYTES = 16;

/** The numbers as little-endian binary16, binary32 and binary64. */
export function numberNeedles(
  name: string,
  values: Float32Array,
  binary16: (values: Float32Array) => Uint8Array,
): Needle[] {
  return [
    { name: `${name} f16`, bytes: binary16(values), elementBytes: 2 },
    { name: `${name} f32`, bytes: new Uint8Array(Float32Array.from(values).buffer), elementBytes: 4 },
    { name: `${name} f64`, bytes: new Uint8Array(Float64Array.from(values).buffer), elementBytes: 8 },
  ];
}

export const keyNeedle = (name: string, key: Uint8Array): Needle => ({
  name,
  bytes: Uint8Array.from(key),
  elementBytes: 1,
});

interface Piece {
  readonly name: string;
  readonly bytes: Buffer;
  /** Offset of the anchor in the piece. */
  readonly anchorAt: number;
}

/**
 * The four bytes by which a piece is recognised first, chosen to be as different as possible, because memory is full of
 * zeros.
 */
function anchorOf(bytes: Buffer): number {
  let best = 0;
  let most = 0;
  for (let at = 0; at + 4 <= bytes.length; at += 1) {
    const distinct = new Set(bytes.subarray(at, at + 4)).size - (bytes.subarray(at, at + 4).includes(0) ? 1 : 0);
    if (distinct > most) [best, most] = [at, distinct];
  }
  return best;
}

/** Searches for all needles in one pass: 8 consecutive elements are enough, at any address. */
export class NeedleFinder {
  /** Pieces by anchor. */
  readonly #pieces = new Map<number, Piece[]>();
  /** Whether any anchor begins with these two bytes. */
  readonly #starts = new Uint8Array(65_536);
  readonly #found = new Set<string>();
  /** Length of the longest piece minus one: the overlap of neighbouring parts of a memory. */
  readonly overlap: number;

  constructor(needles: readonly Needle[]) {
    let longest = 0;
    for (const { name, bytes, elementBytes } of needles) {
      const length = elementBytes === 1 ? PIECE_BYTES : PIECE_ELEMENTS * elementBytes;
      if (bytes.length < length) throw new RangeError(`${name} is too short to be told from chance`);
      longest = Math.max(longest, length);
      for (let at = 0; at + length <= bytes.length; at += length)
        this.#add(name, Buffer.from(bytes.slice(at, at + length)));
    }
    this.overlap = longest - 1;
  }

  #add(name: string, bytes: Buffer): void {
    // A run of one byte would be found in every page of zeros.
    if (new Set(bytes).size < 4) return;
    const anchorAt = anchorOf(bytes);
    const anchor = bytes.readUInt32LE(anchorAt);
    this.#pieces.set(anchor, [...(this.#pieces.get(anchor) ?? []), { name, bytes, anchorAt }]);
    this.#starts[anchor & 0xffff] = 1;
  }

  look(part: Buffer): void {
    const starts = this.#starts;
    for (let i = 0; i + 4 <= part.length; i += 1) {
      if (starts[(part[i] as number) | ((part[i + 1] as number) << 8)] === 0) continue;
      for (const { name, bytes, anchorAt } of this.#pieces.get(part.readUInt32LE(i)) ?? []) {
        const from = i - anchorAt;
        if (from < 0 || from + bytes.length > part.length) continue;
        if (bytes.equals(part.subarray(from, from + bytes.length))) this.#found.add(name);
      }
    }
  }

  /** Names of what was found so far. */
  get found(): readonly string[] {
    return [...this.#found];
  }
}
