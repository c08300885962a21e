/**
 * Prepares a fresh clone, with Node and npm only: pnpm at its pinned version, the dependencies of the lockfile, and the
 * two built artefacts that sources read (the WASM core and the model bundle). Steps with nothing to do are skipped, so
 * a second start costs a fraction of a second.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPinned, readPin } from './pinned-package.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pnpmPin = readPin(manifest.packageManager);
const toolsDirectory = join(root, '.tools');
const pnpmScript = join(toolsDirectory, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

export class SetupError extends Error {}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new SetupError(`Node ${process.versions.node} is too old: this project needs Node 20.19 or newer.`);
  }
}

/** The folder of `svc models add`. */
export function addOnFolder() {
  const { SVC_MODELS_DIR: chosen, XDG_DATA_HOME: data } = process.env;
  return chosen || join(data && isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'svc', 'models');
}

/** Lists the installed add-on models: the kiosk is rebuilt when it changes. */
function addOnState() {
  const folder = addOnFolder();
  if (!existsSync(folder)) return 'none';
  const hash = createHash('sha256');
  // An add-on lies in a folder of its name or, from the first release, in the folder itself.
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const place of ['.', ...folders.map(({ name }) => name).sort()]) {
    const manifest = join(folder, place, 'manifest.json');
    if (existsSync(manifest)) hash.update(`\0${place}\0`).update(readFileSync(manifest));
  }
  return hash.digest('hex');
}

/** Environment of every child: pnpm, turbo and vitest come first in the path, telemetry is off. */
function childEnvironment(extra = {}) {
  const bins = [join(root, 'node_modules', '.bin'), join(toolsDirectory, 'node_modules', '.bin')];
  const environment = {
    ...process.env,
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    SVC_ADD_ONS_STATE: addOnState(),
    ...extra,
  };
  // The nested pnpm would read `npm run`'s variables as its own configuration.
  for (const name of Object.keys(environment))
    if (/^npm_(config|package|lifecycle)_/i.test(name) && !/registry|_auth|cafile|proxy/i.test(name))
      delete environment[name];
  environment.PATH = [...bins, process.env.PATH ?? ''].join(process.platform === 'win32' ? ';' : ':');
  return environment;
}

/**
 * Runs a command to its end; its output is shown unless `quiet`, and then only on failure. @throws SetupError on a
 * non-zero exit
 */
export function run(command, args, { quiet = false, cwd = root, env = {} } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    env: childEnvironment(env),
    stdio: quiet ? 'pipe' : 'inherit',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (result.error) throw new SetupError(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
    throw new SetupError(`«${[command, ...args].join(' ')}» ended with ${result.status ?? result.signal}.`);
  }
}

/**
 * Runs a command in parallel with others. @returns its output, which is part of the error on failure. @throws
 * SetupError on a non-zero exit
 */
export async function runAside(command, args, { cwd = root, env = {} } = {}) {
  const child = spawn(command, args, { cwd, env: childEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const [code, signal] = await once(child, 'close').catch((error) => {
    throw new SetupError(`${command} could not be started: ${error.message}`);
  });
  const said = Buffer.concat(output).toString();
  if (code === 0) return said;
  throw new SetupError(`${said}«${[command, ...args].join(' ')}» ended with ${code ?? signal}.`);
}

/** Runs a command in the foreground as if it were this process: signals are passed on, its exit code becomes ours. */
export function become(command, args, { cwd = root, env = {} } = {}) {
  const child = spawn(command, args, { cwd, env: childEnvironment(env), stdio: 'inherit' });
  // A terminal's Ctrl-C reaches the whole process group; a supervisor's signal reaches only this process.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${command} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}

function ensurePnpm() {
  const installed = join(toolsDirectory, 'node_modules', 'pnpm', 'package.json');
  const { name, version } = pnpmPin;
  if (existsSync(pnpmScript) && JSON.parse(readFileSync(installed, 'utf8')).version === version) return;
  process.stdout.write(`setup: fetching ${name} ${version}\n`);
  mkdirSync(toolsDirectory, { recursive: true });
  const npmQuietly = (...args) => run('npm', [...args, '--no-audit', '--no-fund', '--ignore-scripts'], { quiet: true });
  npmQuietly('pack', `${name}@${version}`, '--pack-destination', toolsDirectory);
  const tarball = join(toolsDirectory, `${name}-${version}.tgz`);
  try {
    // Verified before unpacking.
    checkPinned(readFileSync(tarball), pnpmPin);
    npmQuietly('install', '--prefix', toolsDirectory, '--no-save', '--no-package-lock', tarball);
  } catch (error) {
    throw error instanceof SetupError ? error : new SetupError(error.message);
  } finally {
    rmSync(tarball, { force: true });
  }
}

export const pnpm = (args, options) => run(process.execPath, [pnpmScript, ...args], options);
export const turbo = (args, options) => run(join(root, 'node_modules', '.bin', 'turbo'), args, options);

/** Hash of the inputs of `pnpm install`. */
function dependencyState() {
  const hash = createHash('sha256').update(process.version).update(process.platform).update(process.arch);
  const workspaces = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  const manifests = ['.', 'wasm', 'benchmarks', ...workspaces].map((folder) => join(folder, 'package.json'));
  const files = [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    '.npmrc',
    ...manifests.filter((file) => existsSync(join(root, file))),
  ];
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function ensureDependencies() {
  const stamp = join(root, 'node_modules', '.setup-state');
  const state = dependencyState();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  process.stdout.write('setup: installing dependencies\n');
  pnpm(['install', '--frozen-lockfile', '--reporter=append-only'], { quiet: true, env: { CI: 'true' } });
  writeFileSync(stamp, state);
}

/** One setup at a time: a second one waits for the first, and takes over the lock of a killed one. */
function withLock(work) {
  const lock = join(root, '.tools', 'setup.lock');
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = 0; ; waited += 250) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const abandoned = !isAlive(lock);
      if (abandoned) rmSync(lock, { recursive: true, force: true });
      else if (waited > 600_000)
        throw new SetupError(`another setup holds ${lock} for ten minutes; remove it if none is running.`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
  writeFileSync(join(lock, 'pid'), String(process.pid));
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isAlive(lock) {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
    return true;
  } catch (error) {
    if (error.code === 'EPERM') return true;
    if (error.code === 'ENOENT') return Date.now() - (statSync(lock)?.mtimeMs ?? 0) < 5_000; // just made, pid not yet written
    return false;
  }
}

/**
 * Installs everything a fresh clone lacks. @param tasks turbo tasks that build the artefacts, default `prepare-sources`
 */
export function setup(tasks = ['prepare-sources']) {
  requireNode();
  withLock(() => {
    ensurePnpm();
    ensureDependencies();
    turbo(['run', ...tasks, '--output-logs=errors-only'], { quiet: true });
  });
}

/** Runs `main`; a SetupError is one line and exit code 1, any other error a stack trace. */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(error instanceof SetupError ? `${error.message}\n` : `${error?.stack ?? error}\n`);
    process.exitCode = 1;
  }
}
