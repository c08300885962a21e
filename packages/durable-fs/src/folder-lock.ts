import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, lstat, lutimes, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './file-system.ts';

/** Who holds a lock: a process, told from a later one of the same number by when it started. */
interface Holder {
  readonly pid: number;
  /**
   * Machine and process namespace in which the number means something, hashed; empty where the system does not tell.
   */
  readonly place: string;
  /** Clock ticks from boot to start, and the boot, hashed; empty where the system does not tell. */
  readonly born: string;
  readonly ticket: string;
}

/** Tickets of what this process holds. */
const held = new Set<string>();

/** A turn that was let go is half a one more: above its lock, below the next. */
const lockName = (turn: number): string => (Number.isInteger(turn) ? `lock.${turn}` : `lock.${Math.floor(turn)}.free`);

/**
 * How a holder shows to others in another container or machine, who can't see its process, that it lives. Milliseconds.
 */
interface Heartbeat {
  readonly everyMs: number;
  /** A lock that was not touched for as long as this is nobody's. */
  readonly patienceMs: number;
}

const STANDARD_HEARTBEAT: Heartbeat = { everyMs: 2_000, patienceMs: 10_000 };

/** Where turns are short and others wait for them. */
const SHORT_HEARTBEAT: Heartbeat = { everyMs: 200, patienceMs: 10_000 };
const WAIT_MS = 15_000;
const POLL_MS = 10;

/**
 * Keeps every other process off a folder. A lock whose process is gone is taken over. A holder in the same process
 * namespace is looked up; one elsewhere, as in another container with the same volume, or on a system that tells no
 * namespaces, is watched: it touches its lock while it lives. So a start after a container that was killed takes as
 * long as the patience.
 *
 * Turns are numbered and the highest number never goes away, so that of many who see the same dead holder exactly one
 * can take the next turn, and one who looked long ago finds a higher number and withdraws. Neither taking a turn nor
 * letting go takes room on the disk.
 * @returns lets it go; null while another holds it
 */
export async function tryLockFolder(
  folder: string,
  heartbeat: Heartbeat = STANDARD_HEARTBEAT,
): Promise<(() => Promise<void>) | null> {
  const self: Holder = {
    pid: process.pid,
    place: here(),
    born: birthOf(process.pid),
    ticket: randomBytes(9).toString('base64url'),
  };
  for (;;) {
    const last = await highestTurn(folder);
    if (Number.isInteger(last) && last > 0 && (await isHeld(join(folder, lockName(last)), heartbeat))) return null;
    const turn = Math.floor(last) + 1;
    const lock = join(folder, lockName(turn));
    if (!(await tryTake(lock, self))) continue;
    if ((await highestTurn(folder)) > turn) {
      await rm(lock, { force: true });
      continue;
    }
    held.add(self.ticket);
    await removeTurnsBelow(folder, turn);
    const stop = beat(lock, heartbeat);
    return () => {
      stop();
      return release(folder, turn, self.ticket);
    };
  }
}

/**
 * Runs `work` under the folder's lock, and waits for its turn.
 * @throws Error when the turn does not come in 15 seconds
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; await sleep(POLL_MS)) {
    const letGo = await tryLockFolder(folder, SHORT_HEARTBEAT);
    if (letGo === null) {
      if (performance.now() - startedAt > WAIT_MS) throw new Error(`another process keeps ${folder} locked`);
      continue;
    }
    try {
      return await work();
    } finally {
      await letGo();
    }
  }
}

async function release(folder: string, turn: number, ticket: string): Promise<void> {
  if (!held.delete(ticket)) return;
  await rename(join(folder, lockName(turn)), join(folder, lockName(turn + 0.5))).catch((error: unknown) => {
    // Gone: whoever took it over has seen this process stand still for long.
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

async function turnsIn(folder: string): Promise<readonly number[]> {
  return (await readdir(folder)).flatMap((name) => {
    const [, turn, free] = /^lock\.([1-9][0-9]{0,14})(\.free)?$/.exec(name) ?? [];
    return turn === undefined ? [] : [Number(turn) + (free === undefined ? 0 : 0.5)];
  });
}

async function highestTurn(folder: string): Promise<number> {
  return Math.max(0, ...(await turnsIn(folder)));
}

async function removeTurnsBelow(folder: string, turn: number): Promise<void> {
  for (const old of await turnsIn(folder)) if (old < turn) await rm(join(folder, lockName(old)), { force: true });
}

/**
 * The holder is the target of a symbolic link, for which a full disk has room; a file where the system lets nobody make
 * one.
 * @returns false when somebody has the turn
 */
async function tryTake(lock: string, { pid, place, born, ticket }: Holder): Promise<boolean> {
  const holder = `${pid} ${place} ${born} ${ticket}`;
  try {
    await symlink(holder, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    return tryTakeByFile(lock, holder, `${lock}.${ticket}`);
  }
}

async function tryTakeByFile(lock: string, holder: string, own: string): Promise<boolean> {
  try {
    await writeFile(own, holder, { mode: 0o600, flag: 'wx' });
    await link(own, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Null when the turn is free by now, or nobody can tell whose it is. */
async function readHolder(lock: string): Promise<Holder | null> {
  const text = await readlink(lock)
    .catch(() => readFile(lock, 'utf8'))
    .catch(() => '');
  const [, pid, place, born, ticket] = /^([0-9]+) (\S*) (\S*) (\S+)$/.exec(text) ?? [];
  if (place === undefined || born === undefined || ticket === undefined) return null;
  return { pid: Number(pid), place, born, ticket };
}

async function isHeld(lock: string, heartbeat: Heartbeat): Promise<boolean> {
  const holder = await readHolder(lock);
  if (holder === null) return false;
  if (held.has(holder.ticket)) return true;
  // Two systems that tell nothing of themselves are not therefore the same.
  const isNear = holder.place !== '' && holder.born !== '' && holder.place === here();
  return isNear ? isAlive(holder) : isBeating(lock, heartbeat);
}

/** Compares the lock's time with itself alone: clocks of two machines differ. */
async function isBeating(path: string, { everyMs, patienceMs }: Heartbeat): Promise<boolean> {
  const touchedAt = async () => (await lstat(path).catch(() => null))?.mtimeMs ?? null;
  const first = await touchedAt();
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += everyMs) {
    await sleep(everyMs);
    // Gone or free by now: the next look at the turns tells.
    if ((await touchedAt()) !== first) return (await readHolder(path)) !== null;
  }
  return false;
}

/** @returns stops it */
function beat(path: string, { everyMs }: Heartbeat): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    // A lock that is gone is held by nobody; whoever took it has seen this process stand still for long.
    lutimes(path, now, now).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Boot and process namespace. */
const here = (): string => told(() => `${bootId()} ${readlinkSync('/proc/self/ns/pid')}`);

const birthOf = (pid: number): string =>
  told(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // proc(5): starttime is field 22; the part after the name begins with field 3.
    return `${bootId()} ${fields[19] ?? ''}`;
  });

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** Hashed, so that a holder is short enough for the link itself; empty where the system does not tell. */
function told(read: () => string): string {
  try {
    return createHash('sha256').update(read()).digest('base64url').slice(0, 12);
  } catch {
    return '';
  }
}

function isAlive({ pid, born }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
  // Process numbers come again, in containers at once: the same number born at another time is another process.
  return born === birthOf(pid);
}
