import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Calls of the kernel that make, change or remove a file or a folder, and that change where relative paths lead. */
const CALLS = [
  ...['open', 'openat', 'creat', 'truncate', 'mkdir', 'mkdirat', 'rmdir', 'mknod', 'mknodat', 'unlink', 'unlinkat'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat', 'chmod', 'fchmodat', 'chown'],
  ...['lchown', 'fchownat', 'utimensat', 'bind', 'chdir'],
];

/**
 * The command that runs another under strace and notes what it and its children write; needs no privilege.
 * @param prefix of the notes, a file for each thread
 */
export function watched(command: readonly string[], prefix: string): readonly [string, ...string[]] {
  const only = ['--seccomp-bpf', '--successful-only', '--decode-fds=path', '-qq', '-s', '4096'];
  return [
    'strace',
    '--follow-forks',
    '--output-separately',
    ...only,
    '-e',
    `trace=${CALLS.join(',')}`,
    '-o',
    prefix,
    '--',
    ...command,
  ];
}

/** What is memory, a device or a view of the kernel. */
const NO_DISK = /^\/(dev|proc|sys)\//;
const WRITING = /\bO_(WRONLY|RDWR|CREAT|TRUNC)\b/;

/**
 * The absolute paths that one line of strace's notes writes to; none for a call that only reads. A relative path is
 * left out: where it leads is told by the `chdir` before it, which counts as written to.
 */
export function writtenBy(line: string): readonly string[] {
  const [, call = '', rest = ''] = /^(\w+)\((.*)$/.exec(line) ?? [];
  if (call === 'open' || call === 'openat') {
    if (!WRITING.test(rest)) return [];
    const opened = /= \d+<(.*)>$/.exec(rest)?.[1] ?? '';
    return opened.startsWith('/') && !NO_DISK.test(opened) ? [opened.replace(/\(deleted\)$/, '')] : [];
  }
  const quoted = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = '']) => path);
  return quoted.filter((path) => path.startsWith('/') && !NO_DISK.test(path));
}

/** Everything that was written, without repetition, in the notes of {@link watched}. */
export async function readWritten(folder: string): Promise<readonly string[]> {
  const written = new Set<string>();
  for (const name of await readdir(folder)) {
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      for (const path of writtenBy(line)) written.add(path);
    }
  }
  return [...written].sort();
}
