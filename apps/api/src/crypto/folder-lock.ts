import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** Who holds a lock: a process, told from a later one of the same number by when it started. */
const holderSchema = z.object({ pid: z.int(), born: z.string(), ticket: z.string() });
type Holder = z.infer<typeof holderSchema>;

const WAIT_MS = 15_000;
const POLL_MS = 10;
const held = new Set<string>();

/**
 * Keeps every other process off a folder while `work` runs; waits for its turn. A holder that was killed is passed over.
 *
 * Turns are numbered and the highest number never goes away, so that of many who see the same dead holder exactly one takes the next turn,
 * and one who looked long ago finds a higher number and withdraws.
 * @throws Error when the turn does not come in 15 seconds
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const ticket = randomUUID();
  const own = join(folder, `${ticket}.ticket`);
  await writeFile(own, JSON.stringify({ pid: process.pid, born: birthOf(process.pid), ticket }), {
    mode: 0o600,
    flag: 'wx',
  });
  held.add(ticket);
  try {
    const turn = await takeTurn(folder, own);
    try {
      return await work();
    } finally {
      await writeFile(own, 'free', { mode: 0o600 });
      await rename(own, join(folder, `lock.${turn}`));
    }
  } finally {
    held.delete(ticket);
    await rm(own, { force: true });
  }
}

async function takeTurn(folder: string, own: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const last = await highestTurn(folder);
    const holder = last === 0 ? null : await readHolder(join(folder, `lock.${last}`));
    if (holder !== null && isAlive(holder)) {
      if (performance.now() - startedAt > WAIT_MS) throw new Error('another process keeps the key store locked');
      await sleep(POLL_MS);
      continue;
    }
    const turn = last + 1;
    if (!(await tryLink(own, join(folder, `lock.${turn}`)))) continue;
    if ((await highestTurn(folder)) > turn) {
      await unlink(join(folder, `lock.${turn}`));
      continue;
    }
    for (const old of await turnsIn(folder)) if (old < turn) await rm(join(folder, `lock.${old}`), { force: true });
    return turn;
  }
}

async function turnsIn(folder: string): Promise<readonly number[]> {
  return (await readdir(folder)).flatMap((name) => {
    const turn = /^lock\.([1-9][0-9]{0,14})$/.exec(name)?.[1];
    return turn === undefined ? [] : [Number(turn)];
  });
}

const highestTurn = async (folder: string): Promise<number> => Math.max(0, ...(await turnsIn(folder)));

/** Null when the turn is free, or nobody can tell whose it is. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

function isAlive({ pid, born, ticket }: Holder): boolean {
  if (pid === process.pid && born === birthOf(pid)) return held.has(ticket);
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
  return error instanceof Error && 'code' in error && error.code === code;
}
