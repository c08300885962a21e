import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canWatch } from './unpacked-release.ts';
import { readWritten, watched, writtenBy } from './written-files.ts';

describe('writtenBy', () => {
  it.each([
    ['openat(AT_FDCWD</>, "x", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0666) = 20</state/x>', ['/state/x']],
    ['openat(AT_FDCWD</>, "/state/x", O_RDWR) = 4</state/x(deleted)>', ['/state/x']],
    ['openat(AT_FDCWD</>, "/lib/x", O_RDONLY|O_CLOEXEC) = 3</lib/x>', []],
    ['openat(AT_FDCWD</>, "/dev/null", O_RDWR) = 3</dev/null>', []],
    ['mkdir("/tmp/a \\"b\\"", 0777) = 0', ['/tmp/a \\"b\\"']],
    ['rename("/state/a", "/tmp/b") = 0', ['/state/a', '/tmp/b']],
    ['unlink("pg_wal/0001") = 0', []],
    ['chdir("/tmp") = 0', ['/tmp']],
    ['bind(19<socket:[1]>, {sa_family=AF_UNIX, sun_path="/tmp/s"}, 110) = 0', ['/tmp/s']],
    ['bind(19<socket:[1]>, {sa_family=AF_INET, sin_addr=inet_addr("127.0.0.1")}, 16) = 0', []],
    ['+++ exited with 0 +++', []],
  ])('%s', (line, expected) => {
    expect(writtenBy(line)).toEqual(expected);
  });
});

it.skipIf(!canWatch)('finds what a program and its child write', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-written-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const notes = await mkdtemp(join(tmpdir(), 'svc-notes-'));
  onTestFinished(() => rm(notes, { recursive: true }));
  const [program, ...args] = watched(['sh', '-c', `echo 1 > ${one}; mkdir ${two}; cat ${one}`], join(notes, 'sh'));
  execFileSync(program, args);
  expect(await readWritten(notes)).toEqual([one, two]);
});
