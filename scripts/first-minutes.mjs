// `npm run measure:start`: the README's first five minutes, timed as a newcomer has them: a fresh clone of the committed
// state, packages from the registry into empty caches, the service, the README's blocks of commands, and the first
// program of docs/build/device-sdk.md, which has to end in a match. Counts the packages that `npm start` installs and
// the bytes of their files. Then later starts without models, from a mirror that has them, that never answers, and that
// has other bytes. Leaves nothing behind.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, root, SetupError, script } from './lib/setup.mjs';

const BARS = {
  ...{ packages: 450, megabytes: 500, 'seconds until ready': 40, 'seconds in all': 300 },
  'seconds longer where no mirror answers': 3,
};
const START_SECONDS = 900;

const folder = mkdtempSync(join(tmpdir(), 'svc-first-minutes-'));
const clone = join(folder, 'clone');

async function environment() {
  const env = { ...process.env, PORT: String(await freePort()), XDG_DATA_HOME: join(folder, 'data') };
  env.XDG_CACHE_HOME = join(folder, 'cache');
  env.XDG_STATE_HOME = join(folder, 'state');
  env.npm_config_cache = join(folder, 'npm');
  // What `npm run` says of this clone is not true of the other.
  for (const name of Object.keys(env)) {
    if (/^(npm_(package|lifecycle|config_local)|INIT_CWD|SVC_|DATABASE_URL)/.test(name)) delete env[name];
  }
  return env;
}

const steps = [];
async function timed(name, work) {
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  steps.push({ name, seconds });
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
  return result;
}

function must(command, args, options) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });
  if (status !== 0) throw new SetupError(`${stdout}${stderr}“${[command, ...args].join(' ')}” ended with ${status}`);
  return stdout;
}

async function untilReady(child, output, url) {
  for (const deadline = Date.now() + START_SECONDS * 1_000; ; ) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new SetupError(`${output()}the service is not ready`);
    await pause(100);
  }
}

/** A block of a document's code, as it is typed here. */
function blocksOf(document, language, url) {
  const text = readFileSync(join(clone, document), 'utf8').replaceAll('http://127.0.0.1:3000', url);
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block);
}

async function open(url) {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok || !text.includes('<html')) throw new SetupError(`a link answers ${response.status}`);
}

/** @returns packages that are installed, and the sum of the sizes of their files, in 10⁶ bytes */
function countInstalled() {
  const store = join(clone, 'node_modules', '.pnpm');
  // A link to a workspace package or to another package is no file of its own.
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  const packages = readdirSync(store).filter((name) => name.includes('@'));
  return { packages: packages.length, megabytes: bytes / 1e6 };
}

const found = {};

/** Runs `npm start` in the clone, and `work` once it is ready. @returns what the service said until its end */
async function serving(name, env, work) {
  let said = '';
  const service = spawn('npm', ['start'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [service.stdout, service.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  try {
    await timed(name, () => untilReady(service, () => said, `http://127.0.0.1:${env.PORT}`));
    await work(`http://127.0.0.1:${env.PORT}`);
  } finally {
    if (service.exitCode === null) {
      const ended = once(service, 'close');
      process.kill(-service.pid, 'SIGTERM');
      await ended;
    }
  }
  return said;
}

async function play(env) {
  await timed('git clone', () => must('git', ['clone', '-q', root, clone], { env }));
  await serving('npm start, until it is ready', env, async (url) => {
    found['seconds until ready'] = steps.at(-1).seconds;
    Object.assign(found, countInstalled());
    const [start, quickstart, checkIn, install] = blocksOf('README.md', 'sh', url);
    if (!start.startsWith('npm start')) throw new SetupError('the README begins with another command');
    const typed = (script) => must('bash', ['-euo', 'pipefail', '-c', script], { cwd: clone, env });
    const made = await timed('a quickstart', () => typed(quickstart));
    await timed('the three links answer', async () => {
      for (const [link] of made.matchAll(/http:\S+/g)) await open(link);
    });
    const settings =
      'export DEVICE_TOKEN=$DEVICE SIGNING_KEY=$(npm run -s svc -- region show | sed -n "s/^signing key *//p")';
    const [program] = blocksOf('docs/build/device-sdk.md', 'js', url);
    const project = mkdtempSync(join(folder, 'door-'));
    writeFileSync(join(project, 'door.mjs'), program.replaceAll(/'(gate|visit)'/g, `'${clone}/$1'`));
    const installed = `npm run -s release -- --pack\nCLONE=$PWD\ncd ${project}\n${install}`;
    const asProgram = `${settings}\n${installed}\nnode door.mjs`;
    const said = await timed('a person enrols, and comes to the door twice', () => typed(`${checkIn}\n${asProgram}`));
    if (said.split('Match verified').length !== 3) throw new SetupError(`${said}it does not end in a match`);
  });
}

const published = join(root, '..', 'shared', 'models');
const BUILT_IN = 'built-in-engine,no-passive-check';
/** What a mirror makes of a published file, null for no answer; what the service then warns of, and what it tells. */
const mirrors = {
  'the mirror has the models': [(file) => file, '', /installed in (.|\n)*installed in/],
  'the mirror never answers': [() => null, BUILT_IN, /no answer within (.|\n)*built-in engine is used/],
  'the mirror has another byte': [
    (file) => file.fill(file[999] ^ 1, 999, 1_000),
    BUILT_IN,
    /is not the file that its authors published(.|\n)*built-in engine is used/,
  ],
};

/** A later start, with a folder of models of its own. @param settings of the models @returns the seconds until it is ready */
async function startAgain(env, name, settings, warns, tells) {
  const SVC_MODELS_DIR = mkdtempSync(join(folder, 'models-'));
  const said = await serving(`npm start, ${name}`, { ...env, SVC_MODELS_DIR, ...settings }, async (url) => {
    const { models } = await (await fetch(`${url}/readyz`)).json();
    if (String(models.warnings) !== warns) throw new SetupError(`${name}: ${JSON.stringify(models)} serve`);
  });
  if (!tells.test(said)) throw new SetupError(`${said}${name}: it is not told`);
  return steps.at(-1).seconds;
}

async function playModels(env) {
  if (!existsSync(published)) return void process.stdout.write('skipped: no ../shared (starts with a mirror)\n');
  const startWith = async (name) => {
    const [make, warns, tells] = mirrors[name];
    const mirror = createServer(({ url }, response) => {
      const path = join(published, url);
      // Where nothing answers, nothing says that a file is not there either.
      const content = make(existsSync(path) ? readFileSync(path) : Buffer.alloc(1_000));
      if (content !== null) response.writeHead(existsSync(path) ? 200 : 404).end(content);
    }).listen(0, '127.0.0.1');
    await once(mirror, 'listening');
    const { port } = mirror.address();
    try {
      return await startAgain(env, name, { SVC_MODELS_FROM: `http://127.0.0.1:${port}` }, warns, tells);
    } finally {
      mirror.closeAllConnections();
      mirror.close();
    }
  };
  for (const name of Object.keys(mirrors)) await startWith(name);
  const longer = [];
  for (let i = 0; i < 3; i++) {
    const without = await startAgain(env, 'built-in models', { SVC_MODELS: 'built-in' }, BUILT_IN, /(?:)/);
    longer.push((await startWith('the mirror never answers')) - without);
  }
  found['seconds longer where no mirror answers'] = longer.sort((a, b) => a - b)[1];
}

script(async () => {
  try {
    const env = await environment();
    await play(env);
    found['seconds in all'] = steps.reduce((sum, step) => sum + step.seconds, 0);
    await playModels(env);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const measured = Object.entries(BARS).filter(([name]) => found[name] !== undefined);
  const missed = measured.filter(([name, bar]) => {
    process.stdout.write(
      `${found[name].toFixed(name === 'packages' ? 0 : 1).padStart(7)}  ${name}; the bar is ${bar}\n`,
    );
    return found[name] > bar;
  });
  if (missed.length > 0) throw new SetupError(`above the bar: ${missed.map(([name]) => name).join(', ')}`);
});
