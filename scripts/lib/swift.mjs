/**
 * The Swift compiler for the iOS shell's checks. It is one on the path or, on Debian as root, that of Debian 13, unpacked
 * into a folder of its own and run there by chroot, because it needs a newer C library than Debian 12 has. 546 MB to
 * fetch and 1.2 GB on the disk: only `npm run check:swift -- --install` installs it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchFromDebian, isDebianRoot } from './debian.mjs';
import { root, SetupError } from './setup.mjs';

const VERSION = '6.0.3-2';
/** Of a suite, signed with Debian's keys. */
const SUITE = 'trixie';
const PACKAGES = [`swiftlang=${VERSION}`, 'libc6-dev', 'libstdc++-14-dev'];
/** Debuggers, editors' servers, static libraries and C compilers: half of the packages. */
const LEFT_OUT = [
  '*/bin/*lldb*',
  '*/bin/repl_swift',
  '*/bin/sourcekit-lsp',
  '*/bin/clangd',
  '*/bin/docc',
  '*/lib/*lldb*',
  '*/lib/*LTO*',
  '*/lib/libsourcekit*',
  '*/lib/swift_static',
  '*/swift/host/lib_InternalSwiftScan.so',
  '*/gcc/*/cc1*',
  '*/gcc/*/lto1',
  '*lto-dump*',
  '*/lib*san.*',
  './usr/share/doc',
  './usr/share/man',
  './usr/share/locale',
];

const folder = process.env.SVC_SWIFT_ROOT || join(root, '.tools', 'swift');
const isUnpacked = () => existsSync(join(folder, 'complete'));

/**
 * How to run the compiler, or by its absolute path what it has built: a function of a command with its arguments, whose
 * paths lie in the repository or in `/tmp`; null if there is none. The result is that of `spawnSync`.
 */
export function swift() {
  if (process.platform === 'linux' && spawnSync('swiftc', ['--version']).status === 0)
    return (command, args) => spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (!isDebianRoot() || !isUnpacked()) return null;
  // The mounts end with the command, because it has a mount namespace of its own.
  const script = [
    `mount -t proc proc '${folder}/proc'`,
    `mkdir -p '${folder}${root}' '${folder}/tmp'`,
    `mount --bind '${root}' '${folder}${root}'`,
    `mount --bind /tmp '${folder}/tmp'`,
    `exec chroot '${folder}' "$@"`,
  ].join(' && ');
  const env = { PATH: '/usr/libexec/swift/bin:/usr/bin:/usr/sbin:/bin', HOME: '/tmp', TMPDIR: '/tmp' };
  const run = (command, args) =>
    spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', resolve('/usr/libexec/swift/bin', command), ...args], {
      env,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
  // A container may not be allowed to mount.
  return run('swiftc', ['--version']).status === 0 ? run : null;
}

/** Installs Debian's compiler. @throws SetupError elsewhere, and if it fails */
export function installSwift() {
  if (swift() !== null) return;
  if (!isDebianRoot())
    throw new SetupError('install Swift 6 so that swiftc is on the path; only Debian as root can do it here');
  const must = (what, { status, stderr }) => {
    if (status !== 0) throw new SetupError(`${what}: ${stderr}`);
  };
  rmSync(folder, { recursive: true, force: true });
  const apt = join(folder, 'apt');
  process.stdout.write('swift: fetching 546 MB of Debian packages\n');
  const command = ['install', '-y', '--no-install-recommends', '--download-only', ...PACKAGES];
  const debs = fetchFromDebian(SUITE, apt, ...command);
  if (debs === null) throw new SetupError('Debian’s packages could not be fetched');
  process.stdout.write('swift: unpacking\n');
  const excluded = LEFT_OUT.map((pattern) => `--exclude='${pattern}'`).join(' ');
  const unpack = `set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards ${excluded}`;
  for (const deb of debs) must(deb, spawnSync('bash', ['-c', unpack, 'bash', deb, folder], { encoding: 'utf8' }));
  rmSync(apt, { recursive: true });
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    if (!existsSync(join(folder, name))) symlinkSync(`usr/${name}`, join(folder, name));
  }
  for (const name of ['proc', 'tmp', 'dev']) mkdirSync(join(folder, name), { recursive: true });
  must('mknod', spawnSync('mknod', ['-m', '666', join(folder, 'dev/null'), 'c', '1', '3'], { encoding: 'utf8' }));
  must('mknod', spawnSync('mknod', ['-m', '666', join(folder, 'dev/urandom'), 'c', '1', '9'], { encoding: 'utf8' }));
  writeFileSync(join(folder, 'complete'), `${VERSION}\n`);
}
