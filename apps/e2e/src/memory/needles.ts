import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { encodeFloat16 } from '@svc/core';

/** A secret in one of the forms in which it could lie in memory. */
export interface Needle {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Size of an element in bytes; a form is searched in pieces of whole elements. */
  readonly elementBytes: number;
}

/** Elements per piece: any run of twice as many contains a whole piece. */
const PIECE_ELEMENTS = 8;
/** Piece size of keys, in bytes. */
const PIECE_BYTES = 16;

/** The numbers as little-endian binary16, binary32 and binary64. */
export const numberNeedles = (name: string, values: Float32Array): Needle[] => [
  { name: `${name} f16`, bytes: encodeFloat16(values), elementBytes: 2 },
  { name: `${name} f32`, bytes: new Uint8Array(Float32Array.from(values).buffer), elementBytes: 4 },
  { name: `${name} f64`, bytes: new Uint8Array(Float64Array.from(values).buffer), elementBytes: 8 },
];

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
class NeedleFinder {
  /** Pieces by anchor. */
  readonly #pieces = new Map<number, Piece[]>();
  /** Whether any anchor begins with these two bytes. */
  readonly #starts = new Uint8Array(65_536);
  /** Names of what was found so far. */
  readonly found = new Set<string>();
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
        if (bytes.equals(part.subarray(from, from + bytes.length))) this.found.add(name);
      }
    }
  }
}

const PART_BYTES = 8 * 2 ** 20;

/** Kernel mappings that cannot be read and hold nothing of the program. */
const isOfKernel = (name: string): boolean => /^\[(vvar|vsyscall|vdso)/.test(name);

/**
 * Searches every readable byte of another process: the content of a core dump, and mapped files as well. Linux; needs a
 * child process, or root. The searched process must not know the needles.
 * @returns the number of bytes that were searched, and the names of the needles that were found, sorted
 */
export async function searchProcess(
  pid: number,
  needles: readonly Needle[],
): Promise<{ readonly bytes: number; readonly found: readonly string[] }> {
  const finder = new NeedleFinder(needles);
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const buffer = Buffer.alloc(PART_BYTES);
  let bytes = 0;
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const [, from = '', to = '', mode, name = ''] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
    if (mode?.startsWith('r') !== true || isOfKernel(name)) continue;
    const end = Number.parseInt(to, 16);
    for (let at = Number.parseInt(from, 16); at < end; ) {
      // Requests of this process go on meanwhile.
      await breathe();
      const length = readUnlessGone(memory, buffer, at, Math.min(PART_BYTES, end - at));
      if (length === 0) break;
      finder.look(buffer.subarray(0, length));
      bytes += length;
      if (at + length >= end) break;
      at += length > finder.overlap ? length - finder.overlap : length;
    }
  }
  closeSync(memory);
  return { bytes, found: [...finder.found].sort() };
}

/** 0 if the mapping was removed since it was listed. */
function readUnlessGone(memory: number, buffer: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, buffer, 0, length, at);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EIO' || code === 'EFAULT') return 0;
    throw error;
  }
}
