/**
 * What failed in a run of `npm test` and what was skipped, in plain lines for the end of its output: turbo knows which
 * tasks failed, and the logs of their runners (Vitest, Playwright, jest) tell the rest.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './setup.mjs';

const runs = join(root, '.turbo', 'runs');
const summaries = () => (existsSync(runs) ? readdirSync(runs).filter((name) => name.endsWith('.json')) : []);

/** Runs turbo by `work`. @returns the tasks that it tried, with their exit codes, also if `work` fails */
export function tasksOf(work) {
  const earlier = new Set(summaries());
  let error = null;
  try {
    work();
  } catch (caught) {
    error = caught;
  }
  const tasks = summaries()
    .filter((name) => !earlier.has(name))
    .flatMap((name) => JSON.parse(readFileSync(join(runs, name), 'utf8')).tasks);
  return { error, tasks };
}

function linesOf({ logFile }) {
  const path = join(root, logFile);
  if (!existsSync(path)) return [];
  const lines = stripVTControlCharacters(readFileSync(path, 'utf8')).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

const found = (tasks, pattern) =>
  tasks.flatMap((task) => {
    const lines = linesOf(task).filter((line) => pattern.test(line));
    return [...new Set(lines)].map((line) => `${task.package}: ${line.slice(0, 300)}`);
  });

/** What `tasks` skipped, one line each. */
export const skippedIn = (tasks) => found(tasks, /^(.{1,80}: )?skipped: /);

/** Which tests passed at their second attempt only. */
export const unsteadyIn = (tasks) => found(tasks, /^✓ .*\(retry [#x]\d+\)/);

const SECONDS = { ms: 0.001, s: 1, m: 60 };

/** The `count` slowest test files of all packages, one line each, the attempts of a file together. */
export function slowestFiles(tasks, count) {
  const seconds = new Map();
  for (const task of tasks) {
    for (const line of linesOf(task)) {
      const [, file, time, unit] =
        /^[✓❯×] (\S+) \(\d+ tests?\b.*\) ([\d.]+)(ms|s)$/.exec(line) ??
        /^[✓✘] .* › (\S+):\d+:\d+ › .* \(([\d.]+)(ms|s|m)\)$/.exec(line) ??
        [];
      const path = join(task.directory, file ?? '');
      if (file !== undefined) seconds.set(path, (seconds.get(path) ?? 0) + Number(time) * SECONDS[unit]);
    }
  }
  const sorted = [...seconds].sort(([, a], [, b]) => b - a).slice(0, count);
  return sorted.map(([path, taken]) => `${taken.toFixed(1).padStart(7)} s  ${path}`);
}

/** What failed in `tasks`: the lines of their logs that look like a failure, and the last ones. */
export function failuresIn(tasks) {
  return tasks.flatMap((task) => {
    const { exitCode, error } = task.execution ?? { error: 'was not run' };
    if (exitCode === 0) return [];
    const lines = linesOf(task);
    const suspects = lines.filter((line) => /^(FAIL |● |✘ |\d+\) )|Error: /.test(line)).slice(0, 20);
    const told = [...new Set([...suspects, ...lines.slice(-6)])].map((line) => `    ${line.slice(0, 300)}`);
    return [`${task.taskId}: ${exitCode === undefined ? error : `ended with ${exitCode}; of its log:`}`, ...told];
  });
}
