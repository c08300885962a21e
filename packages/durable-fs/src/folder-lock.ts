import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, lstat, lutimes, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './file-system.ts';

/** A process that holds a lock; `born` distinguishes it from a later process with the same number. */
interface Holder {
  readonly pid: number;
  /** Hash of the machine and the process namespace in which `pid` is valid; empty when unknown. */
  readonly place: string;
  /** Hash of the boot and the clock ticks from boot to start; empty when unknown. */
  readonly born: string;
  readonly ticket: string;
}

/** Tickets of the locks that this process holds. */
const held = new Set<string>();

/** Name of a turn: n for a taken lock, n + ½ for a released one, so that it sorts between its lock and the next. */
const lockName = (turn: number): string => (Number.isInteger(turn) ? `lock.${turn}` : `lock.${Math.floor(turn)}.free`);

/** Holders touch their lock to show processes in other containers or machines that they are alive. Milliseconds. */
interface Heartbeat {
  readonly everyMs: number;
  /** A lock that was not touched for this long is considered abandoned. */
  readonly patienceMs: number;
}

const STANDARD_HEARTBEAT: Heartbeat = { everyMs: 2_000, patienceMs: 10_000 };

/** For locks that are held briefly. */
const SHORT_HEARTBEAT: Heartbeat = { everyMs: 200, patienceMs: 10_000 };
const WAIT_MS = 15_000;
const POLL_MS = 10;

/**
 * Keeps every other process out of a folder. A lock whose process has ended is taken over. A holder in the same process
 * namespace is looked up by its number. Any other holder, such as a container with the same volume or a process that the
 * system hides, is watched: it touches its lock while it is alive. A start after a killed container therefore takes as
 * long as the patience.
 *
 * Turns are numbered and the highest number is never removed. So of many processes that see the same dead holder
 * exactly one takes the next turn, and one with an outdated view finds a higher number and withdraws. Taking and
 * releasing need no free disk space.
 * @returns a function that releases the lock; null when another process holds it
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
 * Runs `work` while holding the folder's lock; waits for it.
 * @throws Error when the lock is not available within 15 seconds
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
    // Taken over by a process that saw no heartbeat of this one for long.
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
 * Writes the holder as the target of a symbolic link, which needs no disk space; as a file where links are not
 * permitted.
 * @returns false when another process has the turn
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

/** Null when the turn has been released, or its holder is unreadable. */
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
  // Two places that are both unknown need not be the same.
  const isNear = holder.place !== '' && holder.born !== '' && holder.place === here();
  return (isNear ? isAlive(holder) : null) ?? isBeating(lock, heartbeat);
}

/** Compares two readings of the lock's own time: clocks of two machines differ. */
async function isBeating(path: string, { everyMs, patienceMs }: Heartbeat): Promise<boolean> {
  const touchedAt = async () => (await lstat(path).catch(() => null))?.mtimeMs ?? null;
  const first = await touchedAt();
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += everyMs) {
    await sleep(everyMs);
    // Removed or released meanwhile: read it again.
    if ((await touchedAt()) !== first) return (await readHolder(path)) !== null;
  }
  return false;
}

/** @returns stops the heartbeat */
function beat(path: string, { everyMs }: Heartbeat): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    // The lock may have been taken over by a process that saw no heartbeat of this one for long.
    lutimes(path, now, now).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Hash of boot and process namespace. */
const here = (): string => told(() => `${bootId()} ${readlinkSync('/proc/self/ns/pid')}`);

const birthOf = (pid: number): string =>
  told(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // proc(5): starttime is field 22; the part after the name begins with field 3.
    return `${bootId()} ${fields[19] ?? ''}`;
  });

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** Hashed so that a holder fits into the link's target; empty when unreadable. */
function told(read: () => string): string {
  try {
    return createHash('sha256').update(read()).digest('base64url').slice(0, 12);
  } catch {
    return '';
  }
}

/** Null when the system hides since when the process runs: `ProtectProc=` of systemd does, with `PrivateUsers=`. */
function isAlive({ pid, born }: Holder): boolean | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  // Process numbers are reused, in containers at once: the start time tells the processes apart.
  const since = birthOf(pid);
  return since === '' ? null : born === since;
}
