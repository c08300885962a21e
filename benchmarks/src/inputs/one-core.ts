import { spawnSync } from 'node:child_process';

const taskset = (...args: readonly string[]): string | null => {
  const { status, stdout } = spawnSync('taskset', args, { encoding: 'utf8' });
  return status === 0 ? stdout : null;
};

/**
 * Holds this process, with all its threads and all that it starts from here on, to one core: the last that it may use.
 * @returns whether that could be done; it takes util-linux's `taskset`
 */
export function holdToOneCore(): boolean {
  const pid = String(process.pid);
  const core = /(\d+)\s*$/.exec(taskset('-c', '-p', pid) ?? '')?.[1];
  return core !== undefined && taskset('-a', '-c', '-p', core, pid) !== null;
}
