/**
 * What failed in a run of `npm test` and what was skipped, in plain lines for the end of its output: turbo knows which
 * packages failed, tooling/vitest.outcome.ts and Playwright's own report which of their tests. Of anything else (a runner that
 * crashed, another step) the telling lines of its log are shown.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './setup.mjs';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const jsonFiles = (folder) =>
  existsSync(folder) ? readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [join(folder, name)] : [])) : [];

const summaries = () => jsonFiles(join(root, '.turbo', 'runs'));

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
    .filter((path) => !earlier.has(path))
    .flatMap((path) => readJson(path).tasks);
  return { error, tasks };
}

function linesOf({ logFile }) {
  const path = join(root, logFile);
  if (!existsSync(path)) return [];
  const lines = stripVTControlCharacters(readFileSync(path, 'utf8')).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** The first lines that look like a failure (● is jest's), and the last of all. */
function telling(lines) {
  const suspects = lines.filter((line) => /●|^FAIL |\bError\b/.test(line)).slice(0, 6);
  return [...new Set([...suspects, ...lines.slice(-6)])].map((line) => line.slice(0, 300));
}

/** What `tasks` skipped, one line each. */
export function skippedIn(tasks) {
  const of = (task) => linesOf(task).filter((line) => /^(.{1,80}: )?skipped: /.test(line));
  return tasks.flatMap((task) => [...new Set(of(task))].map((line) => `${task.package}: ${line}`));
}

/** @returns every test of a suite in Playwright's report that failed, if only once */
function failuresOf({ title, specs = [], suites = [] }, file = title, path = '') {
  const failed = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ status, results }) => ({
        file,
        test: [path, spec.title].filter(Boolean).join(' › '),
        error: stripVTControlCharacters(results[0]?.error?.message ?? '').split('\n', 1)[0],
        passedLater: status === 'flaky',
      })),
  );
  return [
    ...failed,
    ...suites.flatMap((suite) => failuresOf(suite, file, [path, suite.title].filter(Boolean).join(' › '))),
  ];
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** Milliseconds that the tests of a suite in Playwright's report took, all attempts together. */
const timeOf = ({ specs = [], suites = [] }) =>
  sum(specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results.map(({ duration }) => duration)))) +
  sum(suites.map(timeOf));

/** Playwright's report as tooling/vitest.outcome.ts writes; what that has written, as it is. */
function ofEitherRunner(report) {
  if (report.suites === undefined) return report;
  const outside = report.errors.map(({ message }) => ({
    ...{ file: '', test: 'outside of any test', passedLater: false },
    error: stripVTControlCharacters(message ?? '').split('\n', 1)[0],
  }));
  const failures = [...report.suites.flatMap((suite) => failuresOf(suite)), ...outside];
  const times = report.suites.map((suite) => [`src/${suite.title}`, timeOf(suite)]);
  return { place: relative(root, dirname(report.config.configFile)), failures, times };
}

/** The failures that a task's runners wrote, one line each. */
const written = (task, folder, passedLater) =>
  jsonFiles(folder)
    .map(readJson)
    .map(ofEitherRunner)
    .flatMap(({ place, failures }) => (place === task.directory ? failures : []))
    .filter((each) => each.passedLater === passedLater)
    .map(({ file, test, error }) => `${[task.package, file, test].filter(Boolean).join(' › ')}: ${error}`);

/** Which tests of `tasks` passed at their second attempt only. @param folder where the runners wrote */
export const unsteadyIn = (tasks, folder) => tasks.flatMap((task) => written(task, folder, true));

/** The `count` slowest test files of all packages, one line each. @param folder where the runners wrote */
export function slowestFiles(folder, count) {
  const files = jsonFiles(folder)
    .map(readJson)
    .map(ofEitherRunner)
    .flatMap(({ place, times }) => times.map(([file, ms]) => ({ path: join(place, file), seconds: ms / 1_000 })));
  return files
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
}

/** What failed in `tasks`. @param folder where the runners wrote */
export function failuresIn(tasks, folder) {
  return tasks.flatMap((task) => {
    const { exitCode, error } = task.execution ?? { error: 'was not run' };
    if (exitCode === 0) return [];
    const failures = written(task, folder, false);
    if (failures.length > 0) return failures;
    const how = exitCode === undefined ? error : `ended with ${exitCode}, and no test failed; of its log:`;
    return [`${task.taskId}: ${how}`, ...telling(linesOf(task)).map((line) => `    ${line}`)];
  });
}
