import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaceError } from '@svc/core';
import { nodeFileSystem } from './file-system.ts';

/** Who holds a lock: a process, told from a later one of the same number by when it started. */
interface Holder {
  readonly pid: number;
  /** Machine and process namespace in which the number means something; empty where the system does not tell. */
  readonly place: string;
  /** Clock ticks from boot to start, and the boot; empty where the system does not tell. */
  readonly born: string;
  readonly ticket: string;
}

const held = new Set<string>();
const lockName = (turn: number): string => `lock.${turn}`;

/** How a holder shows to others in another container or machine, who can't see its process, that it lives. Milliseconds. */
interface Heartbeat {
  readonly everyMs: number;
  /** A lock that was not touched for as long as this is nobody's. */
  readonly patienceMs: number;
}

const STANDARD_HEARTBEAT: Heartbeat = { everyMs: 2_000, patienceMs: 10_000 };

/**
 * Keeps a second process off a device's directory: two writers would tear generations apart. A lock whose process is gone is taken over.
 * A holder in the same process namespace is looked up; one elsewhere, as in another container with the same volume, is watched: it touches
 * its lock while it lives. So a start after a container that was killed takes as long as the patience.
 *
 * Turns are numbered and the highest number never goes away, so that of many who see the same dead holder exactly one can take the next
 * turn, and one who looked long ago finds a higher number and withdraws.
 * @returns lets it go. @throws FaceError `storage-failed` while another holds it
 */
export async function lockDirectory(
  directory: string,
  heartbeat: Heartbeat = STANDARD_HEARTBEAT,
): Promise<() => Promise<void>> {
  await nodeFileSystem.makeDirectory(directory);
  const ticket = randomUUID();
  const own = join(directory, `${ticket}.ticket`);
  const self: Holder = { pid: process.pid, place: here(), born: birthOf(process.pid), ticket };
  await writeFile(own, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      const last = await highestTurn(directory);
      if (last > 0 && (await isHeld(join(directory, lockName(last)), heartbeat))) break;
      const turn = last + 1;
      if (!(await tryLink(own, join(directory, lockName(turn))))) continue;
      if ((await highestTurn(directory)) > turn) {
        await unlink(join(directory, lockName(turn)));
        continue;
      }
      held.add(ticket);
      await removeTurnsBelow(directory, turn);
      const stop = beat(join(directory, lockName(turn)), heartbeat);
      return () => {
        stop();
        return release(directory, turn, ticket);
      };
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new FaceError('storage-failed', 'another process uses this directory', { retryable: true });
}

async function release(directory: string, turn: number, ticket: string): Promise<void> {
  if (!held.delete(ticket)) return;
  const free = join(directory, `${ticket}.ticket`);
  await writeFile(free, 'free', { mode: 0o600 });
  await rename(free, join(directory, lockName(turn)));
}

async function turnsIn(directory: string): Promise<readonly number[]> {
  return (await readdir(directory)).flatMap((name) => {
    const turn = /^lock\.([1-9][0-9]{0,14})$/.exec(name)?.[1];
    return turn === undefined ? [] : [Number(turn)];
  });
}

async function highestTurn(directory: string): Promise<number> {
  return Math.max(0, ...(await turnsIn(directory)));
}

async function removeTurnsBelow(directory: string, turn: number): Promise<void> {
  for (const old of await turnsIn(directory)) if (old < turn) await rm(join(directory, lockName(old)), { force: true });
}

/** Null when the turn is free, or nobody can tell whose it is. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    const holder: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isHolder(holder) ? holder : null;
  } catch {
    return null;
  }
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'place' in value &&
    typeof value.place === 'string' &&
    'born' in value &&
    typeof value.born === 'string' &&
    'ticket' in value &&
    typeof value.ticket === 'string'
  );
}

async function isHeld(path: string, heartbeat: Heartbeat): Promise<boolean> {
  const holder = await readHolder(path);
  if (holder === null) return false;
  return holder.place === here() ? isAlive(holder) : isBeating(path, heartbeat);
}

/** Compares the lock's time with itself alone: clocks of two machines differ. */
async function isBeating(path: string, { everyMs, patienceMs }: Heartbeat): Promise<boolean> {
  const touchedAt = async () => (await stat(path).catch(() => null))?.mtimeMs ?? null;
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
    utimes(path, now, now).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Boot and process namespace. */
function here(): string {
  try {
    return `${bootId()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function isAlive({ pid, born, ticket }: Holder): boolean {
  if (pid === process.pid && born === '') return held.has(ticket);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
  // Process numbers come again, in containers at once: the same number born at another time is another process.
  return born === birthOf(pid);
}

function birthOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // proc(5): starttime is field 22; the part after the name begins with field 3.
    return `${bootId()} ${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
