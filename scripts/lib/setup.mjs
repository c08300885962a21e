/**
 * Prepares a fresh clone, with Node and npm only: pnpm at its pinned version, the dependencies of the lockfile, and the
 * two built artefacts that sources read (the WASM core and the model bundle). Steps with nothing to do are skipped, so
 * a second start costs a fraction of a second.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPinned, readPin } from './pinned-package.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pnpmPin = readPin(manifest.packageManager);
const toolsDirectory = join(root, '.tools');
export const pnpmScript = join(toolsDirectory, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

export class SetupError extends Error {}

/** What a check found; it goes on, and fails at its end. */
export function complain(what) {
  process.stdout.write(`${what}\n`);
  process.exitCode = 1;
}

/** A port of 127.0.0.1 that no server has now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

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
  const state = [];
  // An add-on lies in a folder of its name or, from the first release, in the folder itself.
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const place of ['.', ...folders.map(({ name }) => name).sort()]) {
    const manifest = join(folder, place, 'manifest.json');
    if (!existsSync(manifest)) continue;
    state.push(`\0${place}\0`, readFileSync(manifest, 'utf8'));
    // A file that is gone or cut is noticed.
    for (const file of readdirSync(join(folder, place))) state.push(file, statSync(join(folder, place, file)).size);
  }
  return state.length === 0 ? 'none' : createHash('sha256').update(state.join('')).digest('hex');
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
    if (/^npm_(config|package|lifecycle)_/i.test(name) && !/registry|_auth|cafile|proxy|userconfig/i.test(name))
      delete environment[name];
  environment.PATH = [...bins, environment.PATH ?? ''].join(process.platform === 'win32' ? ';' : ':');
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
    throw new SetupError(`“${[command, ...args].join(' ')}” ended with ${result.status ?? result.signal}.`);
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
  throw new SetupError(`${said}“${[command, ...args].join(' ')}” ended with ${code ?? signal}.`);
}

/** Runs a command in the foreground as if it were this process: signals are passed on, its exit code becomes ours. */
export function become(command, args, { cwd = root, env = {} } = {}) {
  const child = spawn(command, args, { cwd, env: childEnvironment(env), stdio: 'inherit' });
  // A terminal's Ctrl-C reaches the whole process group; a supervisor's signal reaches only this process.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm passes a signal on to a shell, which passes it on to no one.
  const { ppid } = process;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === ppid || child.kill('SIGTERM'), 1_000).unref();
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
  process.stderr.write(`setup: fetching ${name} ${version}\n`);
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
/** Its tasks fetch no models: whoever wants them has called {@link ensureModels}, and tests want none. */
export const turbo = (args, { env, ...options } = {}) =>
  run(join(root, 'node_modules', '.bin', 'turbo'), args, { ...options, env: { SVC_MODELS: 'built-in', ...env } });

/** Hash of the inputs of `pnpm install`. */
function dependencyState() {
  const hash = createHash('sha256').update(process.version).update(process.platform).update(process.arch);
  const workspaces = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  const manifests = ['.', 'wasm', 'benchmarks', 'tooling', ...workspaces].map((folder) => join(folder, 'package.json'));
  const files = [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    '.npmrc',
    ...manifests.filter((file) => existsSync(join(root, file))),
  ];
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** What serves: the packages of the service and of its pages, with what builds them. */
const SERVING = ['@svc/api...', '@svc/dashboard...', '@svc/kiosk...', '@svc/manual...', '@svc/widget...'];

/** @param packages pnpm's filters; without any, everything, which includes what any filter selects */
function ensureDependencies(packages = []) {
  const stamp = join(root, 'node_modules', '.setup-state');
  const [known, ...installed] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : [undefined];
  const state = dependencyState();
  const isInstalled = (name) => installed.includes('everything') || installed.includes(name);
  const wanted = packages.length > 0 ? packages : ['everything'];
  if (known === state && wanted.every(isInstalled)) return;
  process.stderr.write('setup: installing dependencies\n');
  // What an earlier state had installed stays selected: pnpm would leave it half updated.
  const selected = installed.includes('everything') ? ['everything'] : [...new Set([...installed, ...wanted])];
  // pnpm decides what it hoists when it installs anew.
  if (known !== undefined && known !== state) rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  const filters = selected.includes('everything') ? [] : selected.map((name) => `--filter=${name}`);
  pnpm(['install', '--frozen-lockfile', '--reporter=append-only', ...filters], { quiet: true, env: { CI: 'true' } });
  writeFileSync(stamp, [state, ...selected].join('\n'));
}

const lock = join(root, '.tools', 'setup.lock');

/** One setup at a time: a second one waits for the first, and takes over the lock of a killed one. */
function takeLock() {
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = 0; ; waited += 250) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const abandoned = !isHolderAlive();
      if (abandoned) rmSync(lock, { recursive: true, force: true });
      else if (waited > 600_000)
        throw new SetupError(`another setup has held ${lock} for ten minutes; remove it if none is running.`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
  writeFileSync(join(lock, 'pid'), String(process.pid));
}

const releaseLock = () => rmSync(lock, { recursive: true, force: true });

function isHolderAlive() {
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
  takeLock();
  try {
    ensurePnpm();
    ensureDependencies();
    turbo(['run', ...tasks, '--output-logs=errors-only'], { quiet: true });
  } finally {
    releaseLock();
  }
}

/** The times and sizes of the files below `folders`, which change with any edit. */
function stateOf(folders) {
  const hash = createHash('sha256');
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (['node_modules', 'dist', '.turbo', '.types', 'generated'].includes(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else {
        const { mtimeMs, size } = statSync(path);
        hash.update(`${path} ${mtimeMs} ${size}\n`);
      }
    }
  };
  for (const folder of folders) walk(join(root, folder));
  return hash.digest('hex');
}

/** Builds of what serves; each needs those of the stages before its own. */
const SERVING_STAGES = [
  ['wasm/scripts/build.mjs', 'packages/device-sdk-native/scripts/prepare-sources.ts'],
  ['packages/face-models/scripts/prepare-sources.ts', 'packages/device-sdk-web/scripts/prepare-sources.ts'],
  ['widget/scripts/build-widget', 'kiosk/scripts/build-kiosk']
    .concat(['dashboard', 'manual', 'api'].map((app) => `${app}/scripts/build`))
    .map((path) => `apps/${path}.ts`),
];

/** What a page's folder holds: other commands build into it too, with other add-ons. */
function pageIn(dist) {
  const list = join(dist, 'site.json');
  if (!existsSync(list)) return '';
  return JSON.parse(readFileSync(list, 'utf8'))
    .files.map(({ path, sha256 }) => `${path} ${sha256}`)
    .join();
}

/**
 * Runs a build unless nothing that it may read has changed since, nor the page that it wrote.
 * @param script in `scripts/` of a package, relative to the root; writes into the package's `dist/`
 */
export async function ensureBuilt(script) {
  const folder = dirname(dirname(script));
  const dist = join(root, folder, 'dist');
  const stamp = join(dist, '.serving-state');
  const settings = ['SVC_KIOSK_ENGINES', 'SVC_PASSIVE_MODEL', 'SVC_WIDGET_API_URL'].map((name) => process.env[name]);
  const others = { 'apps/manual': ['docs', 'examples'], 'packages/device-sdk-web': ['apps/kiosk/src/text', 'wasm'] };
  const read = ['packages', folder, ...(others[folder] ?? ['wasm'])];
  const state = [stateOf(read), dependencyState(), addOnState(), ...settings].join('\n');
  const built = () => `${state}\n${createHash('sha256').update(pageIn(dist)).digest('hex')}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === built()) return;
  const loader = script.endsWith('.ts') ? ['--conditions=svc-source', '--import', 'tsx'] : [];
  const options = { cwd: join(root, folder), env: { SVC_BUILD: 'quick', SVC_MODELS: 'built-in' } };
  await runAside(process.execPath, [...loader, join(root, script)], options);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stamp, built());
}

/**
 * Installs the recommended models, tells what cannot be, and goes on. Needs the dependencies, and does nothing where
 * nothing has changed since all were there. @returns whether all that is wanted is there
 */
export async function ensureModels() {
  if (process.env.SVC_MODELS === 'built-in') return true;
  const stamp = join(root, '.tools', 'models-state');
  const state = () =>
    [stateOf(['packages/face-models']), addOnFolder(), addOnState(), process.env.SVC_MODELS].join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state()) return true;
  const cwd = join(root, 'packages', 'face-models');
  const program = ['--conditions=svc-source', '--import', 'tsx', join(cwd, 'scripts', 'install-recommended.ts')];
  const env = childEnvironment({ SVC_INVOKED_FROM: process.env.INIT_CWD ?? process.cwd() });
  const [code] = await once(spawn(process.execPath, program, { cwd, env, stdio: ['ignore', 2, 2] }), 'close');
  if (code === 0) writeFileSync(stamp, state());
  else if (code !== 3) throw new SetupError('the recommended models could not be checked');
  return code === 0;
}

/**
 * Installs `packages` and builds the stages of what they need, and nothing else. @param models what the last stage reads
 * beside them
 */
async function setupSome(packages, stages, models = async () => {}) {
  requireNode();
  takeLock();
  try {
    ensurePnpm();
    ensureDependencies(packages);
    const installed = models();
    // Handled where it is awaited.
    installed.catch(() => {});
    for (const scripts of stages) {
      if (scripts === stages.at(-1)) await installed;
      await Promise.all(scripts.map(ensureBuilt));
    }
  } finally {
    releaseLock();
  }
}

/** What serves: not the tools of tests, nor what phones and benches need. */
export const setupServing = () => setupSome(SERVING, SERVING_STAGES, ensureModels);
/** What `svc` reads: sources, and what is built for them. Where everything is installed, turbo knows what has changed. */
export const setupCommandLine = () =>
  existsSync(join(root, 'node_modules', '.bin', 'turbo'))
    ? setup()
    : setupSome(['@svc/cli...'], SERVING_STAGES.slice(0, 2));

/** Runs `main`; a SetupError is one line and exit code 1, any other error a stack trace. */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(error instanceof SetupError ? `${error.message}\n` : `${error?.stack ?? error}\n`);
    process.exitCode = 1;
  }
}
