import { spawnSync } from 'node:child_process';

const taskset = (...args: readonly string[]): string | null => {
  const { status, stdout } = spawnSync('taskset', args, { encoding: 'utf8' });
  return status === 0 ? stdout : null;
};

/** Cores of a list as `taskset -c` writes it, such as `0,2-4`. */
const coresOf = (list: string): readonly number[] =>
  list
    .trim()
    .split(',')
    .flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });

/** Starts a program as a child of this one. */
export type Start = <T>(start: () => Promise<T>) => Promise<T>;

/**
 * Binds this process, with its threads and future children, to one core: the last that it may use. Needs util-linux's
 * `taskset`.
 *
 * @returns a function that binds its child processes together to one core, another one if available, so that client and
 *   server do not wait for each other. Null if nothing could be bound.
 */
export function holdToOneCore(): Start | null {
  const pid = String(process.pid);
  const list = /: (\S+)\s*$/.exec(taskset('-c', '-p', pid) ?? '')?.[1];
  const cores = list === undefined ? [] : coresOf(list);
  const [own, other = own] = cores.slice(-2).reverse();
  if (own === undefined || taskset('-a', '-c', '-p', String(own), pid) === null) return null;
  return async (start) => {
    // A program inherits the affinity of the thread that starts it.
    taskset('-c', '-p', String(other), pid);
    try {
      return await start();
    } finally {
      taskset('-c', '-p', String(own), pid);
    }
  };
}
