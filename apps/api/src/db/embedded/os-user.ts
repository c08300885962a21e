import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Whom a child process runs as. */
export interface OsUser {
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
 * A user without privileges for PostgreSQL, which refuses to run as root: the system's `postgres`, else one made for us, else `nobody`.
 * @throws Error when the system has none of them
 */
export async function findServerUser(): Promise<OsUser> {
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
