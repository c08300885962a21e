import { readFile, writeFile } from 'node:fs/promises';

/** Resident memory of a process (proc(5)), in bytes: now, and the most since its start or {@link forgetPeak}. */
export interface Resident {
  readonly now: number;
  readonly peak: number;
}

const KIB = 1024;

/** @throws Error without /proc, or when the process has ended */
export async function residentOf(pid: number | 'self'): Promise<Resident> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(text)?.[1]) * KIB;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** From now on {@link Resident.peak} counts anew. */
export const forgetPeak = (pid: number | 'self'): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');
