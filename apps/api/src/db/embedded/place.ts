import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, mkdtemp, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Binaries, findBinaries } from './binaries.ts';
import { findServerUser, type OsUser } from './os-user.ts';

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

/** A folder of our own that a name in the data directory points to. The pointer decides: without it, a new folder is made. */
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
