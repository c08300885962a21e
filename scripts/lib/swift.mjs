/**
 * The Swift compiler for the iOS shell's checks. It is one on the path or, on Debian as root, that of Debian 13, unpacked
 * into a folder of its own and run there by chroot, because it needs a newer C library than Debian 12 has. 546 MB to
 * fetch and 1.2 GB on the disk: only `npm run check:swift -- --install` installs it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
const isRootOnDebian = () => existsSync('/etc/debian_version') && process.getuid?.() === 0;

/**
 * How to run the compiler, or by its absolute path what it has built: a function of a command with its arguments, whose
 * paths lie in the repository or in `/tmp`; null if there is none. The result is that of `spawnSync`.
 */
export function swift() {
  if (process.platform === 'linux' && spawnSync('swiftc', ['--version']).status === 0)
    return (command, args) => spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (!isRootOnDebian() || !isUnpacked()) return null;
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
  if (!isRootOnDebian())
    throw new SetupError('install Swift 6 so that swiftc is on the path; only Debian as root can do it here');
  const must = (what, { status, stderr }) => {
    if (status !== 0) throw new SetupError(`${what}: ${stderr}`);
  };
  rmSync(folder, { recursive: true, force: true });
  const apt = join(folder, 'apt');
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, name), { recursive: true });
  // The archive that this machine uses, with its next suite.
  const sites = spawnSync('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'], {
    encoding: 'utf8',
  });
  const site = sites.stdout.split('\n').find((each) => each.endsWith('/debian'));
  if (site === undefined) throw new SetupError('apt knows no archive of Debian');
  writeFileSync(
    join(apt, 'sources.list'),
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${site} ${SUITE} main\n`,
  );
  // As if nothing were installed, so that everything it needs is fetched.
  writeFileSync(join(apt, 'status'), '');
  const options = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': apt,
    'Dir::Cache::archives': join(apt, 'archives'),
    'APT::Sandbox::User': 'root',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const get = (...args) => spawnSync('apt-get', [...flags, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  process.stdout.write('swift: fetching 546 MB of Debian packages\n');
  must('apt-get update', get('update', '-qq'));
  must('apt-get', get('install', '-y', '-qq', '--no-install-recommends', '--download-only', ...PACKAGES));
  process.stdout.write('swift: unpacking\n');
  const excluded = LEFT_OUT.map((pattern) => `--exclude='${pattern}'`).join(' ');
  for (const name of readdirSync(join(apt, 'archives')).filter((each) => each.endsWith('.deb'))) {
    const unpack = `set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards ${excluded}`;
    must(name, spawnSync('bash', ['-c', unpack, 'bash', join(apt, 'archives', name), folder], { encoding: 'utf8' }));
  }
  rmSync(apt, { recursive: true });
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    if (!existsSync(join(folder, name))) symlinkSync(`usr/${name}`, join(folder, name));
  }
  for (const name of ['proc', 'tmp', 'dev']) mkdirSync(join(folder, name), { recursive: true });
  must('mknod', spawnSync('mknod', ['-m', '666', join(folder, 'dev/null'), 'c', '1', '3'], { encoding: 'utf8' }));
  must('mknod', spawnSync('mknod', ['-m', '666', join(folder, 'dev/urandom'), 'c', '1', '9'], { encoding: 'utf8' }));
  writeFileSync(join(folder, 'complete'), `${VERSION}\n`);
}
