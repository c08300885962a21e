/**
 * `npm run test:mutants`: removes one check at a time in a copy of the repository, and requires that a test of `npm
 * test` fails by an assertion. The table is scripts/mutants.mjs; words after `--` select rows by name. `--table` only
 * checks that each text occurs once and each test file exists; `npm run check` does that.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { root, SetupError, script, setup } from './lib/setup.mjs';
import { mutants } from './mutants.mjs';

const TIMEOUT_MS = 180_000;
/** Number of failing tests that ends a run: the first may fail by an error other than an assertion. */
const BAIL = 5;
/** How Vitest marks errors of `expect`, including `rejects`, `resolves` and `poll`. */
const ASSERTION = /^(AssertionError|Error: (expected|promise (resolved|rejected)) )/;

/** Neither sources nor what is built of them, nor secrets of a deployment that is tried from the clone. */
const LEFT_OUT = new Set([
  'secrets',
  '.env',
  '.git',
  '.tools',
  '.data',
  '.turbo',
  '.vite',
  '.vite-temp',
  '.cache',
  'release',
]);

/** The repository with what is installed and built; sources of other packages are those of the copy. */
function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  const installed = join(root, 'node_modules');
  const filter = (source) => source !== installed && !LEFT_OUT.has(basename(source));
  // Links stay relative, so that a workspace package leads to the copy's.
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter });
  symlinkSync(installed, join(copy, 'node_modules'));
  return copy;
}

let running = null;
const stop = () => {
  try {
    if (running !== null) process.kill(-running.pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
};

/** @returns Vitest's report; null if there is none or the time was over */
async function runTests(copy, packageFolder, tests) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const paths = tests.map((test) => relative(packageFolder, test));
  const options = ['--reporter=json', `--outputFile=${report}`, `--bail=${BAIL}`];
  const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...paths, ...options], {
    cwd: join(copy, packageFolder),
    stdio: 'ignore',
    detached: true,
  });
  running = child;
  const timer = setTimeout(stop, TIMEOUT_MS);
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  running = null;
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null;
}

const packageOf = (path) =>
  path
    .split('/')
    .slice(0, /^(packages|apps)\//.test(path) ? 2 : 1)
    .join('/');

/** Checks that the tests pass without a mutant, otherwise a failure proves nothing. */
async function requireGreen(copy, chosen) {
  const byPackage = new Map();
  for (const { tests } of chosen) {
    for (const test of tests) {
      const folder = packageOf(test);
      byPackage.set(folder, new Set([...(byPackage.get(folder) ?? []), test]));
    }
  }
  for (const [folder, tests] of byPackage) {
    const report = await runTests(copy, folder, [...tests]);
    if (report?.success === true) continue;
    const failed = report?.testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name, message }) => `${name} ${message}`);
    throw new SetupError(`without any change, tests of ${folder} fail: ${failed?.join('\n') ?? 'no report'}`);
  }
}

/** Builds the core of the copy anew. @returns whether it compiles */
const buildCore = (copy) => spawnSync(process.execPath, [join(copy, 'wasm/scripts/build.mjs')]).status === 0;

/** @returns the name of the test that noticed, or why none did */
async function tryMutant(copy, { file, find, replace = '', tests }) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  const isOfCore = file.startsWith('wasm/');
  try {
    if (isOfCore && !buildCore(copy)) return { problem: 'does not compile' };
    const report = await runTests(copy, packageOf(tests[0]), tests);
    if (report === null) return { problem: 'no test ended in time' };
    const failed = report.testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed'),
    );
    const noticed = failed.find(({ failureMessages }) => failureMessages.some((message) => ASSERTION.test(message)));
    if (noticed !== undefined) return { noticed: noticed.fullName };
    if (failed.length > 0) {
      const [{ fullName, failureMessages }] = failed;
      return { problem: `fails without an assertion: ${fullName}: ${failureMessages[0]?.split('\n')[0]}` };
    }
    return { problem: report.success ? 'no test noticed' : 'the tests could not be loaded' };
  } finally {
    writeFileSync(path, source);
    if (isOfCore) buildCore(copy);
  }
}

function requireTable() {
  const problems = mutants.flatMap(({ check, file, find, tests }) => {
    const missing = [file, ...tests].filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) return [`${check}: ${missing.join(', ')} is not there`];
    const times = readFileSync(join(root, file), 'utf8').split(find).length - 1;
    return times === 1 ? [] : [`${check}: its text is ${times} times in ${file}`];
  });
  if (problems.length > 0) throw new SetupError(problems.join('\n'));
}

script(async () => {
  requireTable();
  if (process.argv.includes('--table')) return;
  setup();
  const words = process.argv.slice(2);
  const chosen = mutants.filter(({ check }) => words.length === 0 || words.some((word) => check.includes(word)));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stop();
      process.exit(130);
    });
  }
  const copy = makeCopy();
  await requireGreen(copy, chosen);
  const problems = [];
  for (const mutant of chosen) {
    const { noticed, problem } = await tryMutant(copy, mutant);
    process.stdout.write(`| ${mutant.check} | ${mutant.file} | ${noticed ?? `NOT NOTICED: ${problem}`} |\n`);
    if (problem !== undefined) problems.push(`${mutant.check}: ${problem}`);
  }
  if (problems.length > 0)
    throw new SetupError(`${problems.length} of ${chosen.length} checks:\n${problems.join('\n')}`);
  process.stdout.write(`${chosen.length} checks were removed, one at a time, and each was missed\n`);
});
