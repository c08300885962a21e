// Separate program: searches a process, or a file with a memory's content, for the needles of a file.
//   scan.ts NEEDLES pid PID | scan.ts NEEDLES file PATH
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { NeedleFinder, readNeedles } from './needles.ts';

/** Statistics of a search. */
interface MemoryRead {
  readonly bytes: number;
  readonly mappings: number;
}

const PART_BYTES = 8 * 2 ** 20;

/** Kernel mappings that cannot be read and hold nothing of the program. */
const isOfKernel = (name: string): boolean => /^\[(vvar|vsyscall|vdso)/.test(name);

/**
 * Reads every readable byte of another process: the content of a core dump, and mapped files as well. Linux; needs a
 * child process, or root.
 */
function readProcess(pid: number, finder: NeedleFinder): MemoryRead {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const buffer = Buffer.alloc(PART_BYTES);
  const total = { bytes: 0, mappings: 0 };
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to, mode, name] = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
      if (from === undefined || to === undefined || mode?.startsWith('r') !== true || isOfKernel(name ?? '')) continue;
      total.mappings += 1;
      total.bytes += readMapping(memory, buffer, Number.parseInt(from, 16), Number.parseInt(to, 16), finder);
    }
  } finally {
    closeSync(memory);
    buffer.fill(0);
  }
  return total;
}

function readMapping(memory: number, buffer: Buffer, from: number, to: number, finder: NeedleFinder): number {
  let bytes = 0;
  for (let at = from; at < to; ) {
    const length = readUnlessGone(memory, buffer, at, Math.min(PART_BYTES, to - at));
    if (length === 0) return bytes;
    finder.look(buffer.subarray(0, length), at);
    bytes += length;
    if (at + length >= to) return bytes;
    at += length > finder.overlap ? length - finder.overlap : length;
  }
  return bytes;
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

const [needles = '', kind, where = ''] = process.argv.slice(2);
const finder = new NeedleFinder(readNeedles(needles));
let bytes: number;
if (kind === 'pid') ({ bytes } = readProcess(Number(where), finder));
else {
  const content = readFileSync(where);
  finder.look(content, 0);
  bytes = content.length;
}
process.stdout.write(JSON.stringify({ bytes, found: finder.found }));
