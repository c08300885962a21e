import { describe, expect, it } from 'vitest';
import { writtenBy } from './written-files.ts';

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
