import { spawnSync } from 'node:child_process';

const taskset = (...args: readonly string[]): string | null => {
  const { status, stdout } = spawnSync('taskset', args, { encoding: 'utf8' });
  return status === 0 ? stdout : null;
};

/** Cores of a list as `taskset -c` writes it, such as `0,2-4`. */
export const coresOf = (list: string): readonly number[] =>
  list
    .trim()
    .split(',')
    .flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });

/** Starts a program; what it starts belongs to it. */
export type Start = <T>(start: () => Promise<T>) => Promise<T>;

/**
 * Holds this process, with all its threads and all that it starts from here on, to one core: the last that it may use.
 * It takes util-linux's `taskset`.
 *
 * @returns holds what it starts to one core too, all its processes together: another one where there is another, so
 *   that whoever asks and whoever is asked do not wait for each other. Null where nothing could be held.
 */
export function holdToOneCore(): Start | null {
  const pid = String(process.pid);
  const list = /: (\S+)\s*$/.exec(taskset('-c', '-p', pid) ?? '')?.[1];
  const cores = list === undefined ? [] : coresOf(list);
  const [own, other = own] = cores.slice(-2).reverse();
  if (own === undefined || taskset('-a', '-c', '-p', String(own), pid) === null) return null;
  return async (start) => {
    // A program starts where the thread is that starts it: this one.
    taskset('-c', '-p', String(other), pid);
    try {
      return await start();
    } finally {
      taskset('-c', '-p', String(own), pid);
    }
  };
}
