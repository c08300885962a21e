import { readdir, readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessStat {
  readonly parent: number;
  readonly processorMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

/** proc(5): the fields behind the name in parentheses. Null for a process that is gone. */
async function statOf(pid: string): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number) => Number(fields[index]) * TICK_MS;
  return { parent: Number(fields[1]), processorMs: ticks(11) + ticks(12), endedMs: ticks(13) + ticks(14) };
}

/**
 * Processor time of a PostgreSQL server so far, all of its processes; null where there is no /proc to read it from.
 * @param backendPid any process of the server but the first
 */
export async function postgresProcessorMs(backendPid: number): Promise<number | null> {
  const parent = (await statOf(String(backendPid)))?.parent;
  const server = parent === undefined ? null : await statOf(String(parent));
  if (server === null) return null;
  let sum = server.processorMs + server.endedMs;
  for (const pid of (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))) {
    const stat = await statOf(pid);
    if (stat !== null && stat.parent === parent) sum += stat.processorMs;
  }
  return sum;
}
