import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceError } from '@svc/core';

/** Who holds a lock: a process, told from a later one of the same number by when it started. */
interface Holder {
  readonly pid: number;
  /** Clock ticks from boot to start, and the boot; empty where the system does not tell. */
  readonly born: string;
  readonly ticket: string;
}

const held = new Set<string>();
const lockName = (turn: number): string => `lock.${turn}`;

/**
 * Keeps a second process off a device's directory: two writers would tear generations apart. A lock whose process is gone is taken over.
 *
 * Turns are numbered and the highest number never goes away, so that of many who see the same dead holder exactly one can take the next
 * turn, and one who looked long ago finds a higher number and withdraws.
 * @returns lets it go. @throws FaceError `storage-failed` while another holds it
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const ticket = randomUUID();
  const own = join(directory, `${ticket}.ticket`);
  await writeFile(own, JSON.stringify({ pid: process.pid, born: birthOf(process.pid), ticket }), {
    mode: 0o600,
    flag: 'wx',
  });
  try {
    for (;;) {
      const last = await highestTurn(directory);
      const holder = last === 0 ? null : await readHolder(join(directory, lockName(last)));
      if (holder !== null && isAlive(holder)) break;
      const turn = last + 1;
      if (!(await tryLink(own, join(directory, lockName(turn))))) continue;
      if ((await highestTurn(directory)) > turn) {
        await unlink(join(directory, lockName(turn)));
        continue;
      }
      held.add(ticket);
      await removeTurnsBelow(directory, turn);
      return () => release(directory, turn, ticket);
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
    'born' in value &&
    typeof value.born === 'string' &&
    'ticket' in value &&
    typeof value.ticket === 'string'
  );
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
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // proc(5): starttime is field 22; the part after the name begins with field 3.
    return `${boot} ${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}

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
