import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, lstat, lutimes, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './file-system.ts';

// Why not `proper-lockfile`: its holder is whoever touched the lock last. A holder whose event loop is blocked for longer
// than the patience loses the lock while it works, a killed one keeps everybody out for the patience, and `mkdir` needs
// room on the disk, of which a device that must delete keys may have none.

/** A process that holds a lock, as it is written in it. */
interface Holder {
  readonly pid: number;
  /** Hash of the machine and the process namespace in which `pid` is valid; empty when unknown. */
  readonly place: string;
  /** Hash of the boot and the clock ticks from boot to start, since numbers are reused; empty when unknown. */
  readonly born: string;
  /** Random: tells this process its own locks. */
  readonly ticket: string;
}

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

/** Tickets of the locks that this process holds. */
const held = new Set<string>();

/**
 * Keeps every other process out of a folder. A lock whose process has ended is taken over. A holder in the same process
 * namespace is looked up by its number. Any other holder, such as a container with the same volume or a process that the
 * system hides, is watched: it touches its lock while it is alive. A start after a killed container therefore takes as
 * long as the patience.
 *
 * Turns are numbered, `lock.7`, or `lock.7.free` once released, and the highest number is never removed. So of many
 * processes that see the same dead holder exactly one takes the next turn, and one with an outdated view finds a higher
 * number and withdraws. Taking and releasing need no free disk space.
 * @returns a function that releases the lock; null when another process holds it
 */
export async function tryLockFolder(
  folder: string,
  heartbeat: Heartbeat = STANDARD_HEARTBEAT,
): Promise<(() => Promise<void>) | null> {
  const ticket = randomBytes(9).toString('base64url');
  const holder = `${process.pid} ${here()} ${birthOf(process.pid)} ${ticket}`;
  for (;;) {
    const last = highest(await turnsIn(folder));
    if (last !== null && !last.isFree && (await isHeld(last.path, heartbeat))) {
      held.delete(ticket);
      return null;
    }
    const turn = (last?.turn ?? 0) + 1;
    const lock = join(folder, `lock.${turn}`);
    // Before it is taken, so that this process knows its own lock at once.
    held.add(ticket);
    if (!(await tryTake(lock, holder, ticket))) continue;
    const turns = await turnsIn(folder);
    // Also where this turn was taken and released in the meantime.
    if (highest(turns)?.path !== lock) {
      await rm(lock, { force: true });
      continue;
    }
    for (const old of turns) if (old.turn < turn) await rm(old.path, { force: true });
    const stop = beat(lock, heartbeat);
    return async () => {
      stop();
      if (held.delete(ticket)) await rename(lock, `${lock}.free`).catch(unlessTakenOver);
    };
  }
}

/**
 * Runs `work` while holding the folder's lock; waits for it.
 * @throws Error when the lock is not available within 15 seconds
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; await sleep(POLL_MS)) {
    const release = await tryLockFolder(folder, SHORT_HEARTBEAT);
    if (release === null) {
      if (performance.now() - startedAt > WAIT_MS) throw new Error(`another process keeps ${folder} locked`);
      continue;
    }
    try {
      return await work();
    } finally {
      await release();
    }
  }
}

interface Turn {
  readonly turn: number;
  readonly isFree: boolean;
  readonly path: string;
}

async function turnsIn(folder: string): Promise<readonly Turn[]> {
  return (await readdir(folder)).flatMap((name) => {
    const [, turn, free] = /^lock\.([1-9][0-9]{0,14})(\.free)?$/.exec(name) ?? [];
    return turn === undefined ? [] : [{ turn: Number(turn), isFree: free !== undefined, path: join(folder, name) }];
  });
}

/** The last turn; one that is being released may be seen under both names, and is free. */
const highest = (turns: readonly Turn[]): Turn | null =>
  turns.reduce<Turn | null>(
    (last, one) => (last === null || one.turn > last.turn || (one.turn === last.turn && one.isFree) ? one : last),
    null,
  );

/** A lock that is not there was taken over by a process that saw no heartbeat of this one for long. */
function unlessTakenOver(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}

/**
 * Writes the holder as the target of a symbolic link, which needs no disk space; as a file where links are not
 * permitted.
 * @returns false when another process has the turn
 */
async function tryTake(lock: string, holder: string, ticket: string): Promise<boolean> {
  const draft = `${lock}.${ticket}`;
  try {
    const refused = await symlink(holder, lock).then(
      () => null,
      (error: unknown) => error,
    );
    if (refused === null) return true;
    if (hasCode(refused, 'EEXIST')) return false;
    await writeFile(draft, holder, { mode: 0o600, flag: 'wx' });
    await link(draft, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
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
    lutimes(path, now, now).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Hash of boot and process namespace. */
const here = (): string => hashOf(() => `${bootId()} ${readlinkSync('/proc/self/ns/pid')}`);

const birthOf = (pid: number): string =>
  hashOf(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // proc(5): starttime is field 22; the part after the name begins with field 3.
    return `${bootId()} ${fields[19] ?? ''}`;
  });

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** Hashed so that a holder fits into the link's target; empty when unreadable. */
function hashOf(read: () => string): string {
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
  const since = birthOf(pid);
  return since === '' ? null : born === since;
}
