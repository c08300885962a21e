// Separate program: searches a process, or a file with a memory's content, for the needles of a file.
//   scan.ts NEEDLES /proc/PID | scan.ts NEEDLES FILE
import { openSync, readFileSync, readSync } from 'node:fs';
import { NeedleFinder, readNeedles, type Scan } from './needles.ts';

const PART_BYTES = 8 * 2 ** 20;

/** Kernel mappings that cannot be read and hold nothing of the program. */
const isOfKernel = (name: string): boolean => /^\[(vvar|vsyscall|vdso)/.test(name);

/**
 * Reads every readable byte of another process: the content of a core dump, and mapped files as well. Linux; needs a
 * child process, or root.
 * @returns their number
 */
function readProcess(folder: string, finder: NeedleFinder): number {
  const memory = openSync(`${folder}/mem`, 'r');
  const buffer = Buffer.alloc(PART_BYTES);
  let bytes = 0;
  for (const line of readFileSync(`${folder}/maps`, 'utf8').split('\n')) {
    const [, from = '', to = '', mode, name = ''] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
    if (mode?.startsWith('r') !== true || isOfKernel(name)) continue;
    const end = Number.parseInt(to, 16);
    for (let at = Number.parseInt(from, 16); at < end; ) {
      const length = readUnlessGone(memory, buffer, at, Math.min(PART_BYTES, end - at));
      if (length === 0) break;
      finder.look(buffer.subarray(0, length));
      bytes += length;
      if (at + length >= end) break;
      at += length > finder.overlap ? length - finder.overlap : length;
    }
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

const [needles = '', where = ''] = process.argv.slice(2);
const finder = new NeedleFinder(readNeedles(needles));
let bytes: number;
if (where.startsWith('/proc/')) bytes = readProcess(where, finder);
else {
  const content = readFileSync(where);
  finder.look(content);
  bytes = content.length;
}
process.stdout.write(JSON.stringify({ bytes, found: finder.found } satisfies Scan));
