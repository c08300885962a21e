/**
 * `npm run release -- --rehearse`: publishes every package to a registry of its own on loopback, under the scope of
 * release.config.json and under another one, installs them into empty projects of ten kinds and runs them, under each
 * of `NODE_LINES`. Packages of others come from the registry that npm is set to.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installNode, NODE_LINES } from '../lib/node-lines.mjs';
import { freePort, root, run, SetupError } from '../lib/setup.mjs';
import { pnpmScript, readConfig } from './config.mjs';
import { kinds } from './kinds.mjs';
import { publish } from './publish.mjs';
import { stage } from './stage.mjs';

/** A tool of the rehearsal, with a Node of its own: it needs a newer one than the packages do. */
const VERDACCIO = '6.10.4';
const VERDACCIO_NODE = NODE_LINES.at(-1);
const OTHER_SCOPE = '@rehearsal-of-another';
const STEP_MS = 600_000;

const running = new Set();
function killAll() {
  for (const child of running) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** A child in a process group of its own, so that its children end with it. */
function start(command, args, { cwd, env }) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  child.said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (child.said += chunk));
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function execute(command, args, options) {
  const child = start(command, args, options);
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), STEP_MS);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0) throw new Error(`“${[command, ...args].join(' ')}” ended with ${code ?? signal}:\n${child.said}`);
  return child.said;
}

/** Starts a server that answers at `path`. @returns its address and what ends it */
async function serve(command, args, options, path) {
  const port = await freePort();
  const child = start(
    command,
    args.map((each) => each.replace('PORT', port)),
    options,
  );
  for (let waited = 0; waited < 120_000 && child.exitCode === null; waited += 250) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    if (answer?.ok) return { url: `http://127.0.0.1:${port}`, close: () => process.kill(-child.pid, 'SIGKILL') };
  }
  throw new Error(`${command} ${args.join(' ')} does not answer:\n${child.said}`);
}

/** Installed into `.tools/`, where it stays, as the Nodes do. */
async function startRegistry(place) {
  const folder = join(root, '.tools', `verdaccio-${VERDACCIO}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    // It names this one by a tag, which not every mirror of the registry has.
    const overrides = { 'node-fetch': '2.7.0' };
    const manifest = { private: true, dependencies: { verdaccio: VERDACCIO }, overrides };
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify(manifest));
    run('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit'], { cwd: unfinished, quiet: true });
    renameSync(unfinished, folder);
  }
  // JSON is YAML. There is no uplink: projects fetch other scopes as npm is set to.
  const config = join(place, 'verdaccio.yaml');
  const packages = { '**': { access: '$all', publish: '$anonymous $all' } };
  const log = { type: 'stdout', level: 'warn' };
  const settings = { storage: join(place, 'storage'), web: { enable: false }, uplinks: {}, packages, log };
  writeFileSync(config, JSON.stringify({ ...settings, max_body_size: '200mb' }));
  const node = join(installNode(VERDACCIO_NODE), 'node');
  const program = join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const args = [program, '--config', config, '--listen', 'http://127.0.0.1:PORT'];
  return await serve(node, args, { cwd: place, env: { ...process.env, HOME: place } }, '/-/ping');
}

/** An empty project that has installed what a kind needs, and the means to run something in it. */
async function createProject(place, kind, { node, registry, config, version }) {
  const directory = mkdtempSync(join(place, 'project-'));
  const bin = installNode(node);
  const isOurs = ([name]) => /^npm_(config|package|lifecycle)_/i.test(name);
  const env = Object.fromEntries(Object.entries(process.env).filter((each) => !isOurs(each)));
  env.PATH = `${bin}:${env.PATH}`;
  writeFileSync(
    join(directory, '.npmrc'),
    [
      `${config.scope}:registry=${registry}`,
      `${registry.replace('http:', '')}/:_authToken=none`,
      ...[`cache=${join(place, 'npm-cache')}`, `store-dir=${join(place, 'pnpm-store')}`],
      ...['audit=false', 'fund=false', 'update-notifier=false', ...(kind.npmrc ?? [])],
    ].join('\n'),
  );
  const own = kind.packages.map((short) => [`${config.scope}/${short}`, version]);
  const manifest = { name: 'project', private: true, type: kind.type ?? 'module' };
  const dependencies = { ...Object.fromEntries(own), ...kind.dependencies };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
  const project = {
    ...{ directory, config, env, nodePath: join(bin, 'node') },
    run: (command, ...args) => execute(command, args, { cwd: directory, env }),
    node: (...args) => project.run(join(bin, 'node'), ...args),
    serve: (args, path) => serve(join(bin, 'node'), args, { cwd: directory, env }, path),
    at: (...path) => join(directory, ...path),
    write(files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, path)), { recursive: true });
        writeFileSync(join(directory, path), text.replaceAll('@svc/', `${config.scope}/`));
      }
    },
  };
  await (kind.name.startsWith('pnpm') ? project.node(pnpmScript, 'install') : project.run('npm', 'install'));
  return project;
}

const seconds = (from) => `${((performance.now() - from) / 1_000).toFixed(1)} s`;
const say = (text) => process.stdout.write(`${text}\n`);

/** @returns how long a kind took, or FAILED */
async function runKind(place, kind, options) {
  const startedAt = performance.now();
  const project = await createProject(place, kind, options).catch((error) => ({ error }));
  const error =
    project.error ??
    (await kind.run(project).then(
      () => null,
      (caught) => caught,
    ));
  if (error === null) rmSync(project.directory, { recursive: true, force: true, maxRetries: 5 });
  say(`${kind.name}, Node ${options.node}: ${error === null ? `ok, ${seconds(startedAt)}` : error.stack}`);
  return error === null ? seconds(startedAt) : 'FAILED';
}

/** Publishes twice, as if the first attempt had stopped after one package. @returns the version */
async function publishTwice(place, registry, config) {
  const out = join(place, config.scope);
  mkdirSync(out);
  const packages = await stage(out, config);
  publish(packages.slice(0, 1), registry, config, { token: 'none' });
  const published = publish(packages, registry, config, { token: 'none' });
  if (published.length !== packages.length - 1) throw new SetupError(`published ${published.join(', ')}`);
  say(`${packages.length} packages published as ${config.scope}, in two attempts`);
  return packages[0].version;
}

/**
 * @param options `only`: parts of kinds' names; `node`: the beginning of a version
 * @throws SetupError where a kind failed
 */
export async function rehearse({ only = [''], node: line = '' }) {
  const startedAt = performance.now();
  const place = mkdtempSync(join(tmpdir(), 'svc-rehearsal-'));
  const end = () => {
    killAll();
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      end();
      process.exit(1);
    });
  try {
    const registry = (await startRegistry(place)).url;
    const own = readConfig();
    const other = { ...own, scope: OTHER_SCOPE };
    const version = await publishTwice(place, registry, own);
    await publishTwice(place, registry, other);
    const chosen = kinds.filter(({ name }) => only.some((part) => name.includes(part)));
    const nodes = NODE_LINES.filter((each) => each.startsWith(line));
    const rows = [['Kind of project', 'Scope', ...nodes.map((node) => `Node ${node}`)]];
    for (const kind of chosen) {
      const config = kind.isOther ? other : own;
      const row = [kind.name, config.scope];
      for (const node of nodes) row.push(await runKind(place, kind, { node, registry, config, version }));
      rows.push(row);
    }
    say('');
    for (const row of rows) say(row.map((cell, i) => cell.padEnd([30, OTHER_SCOPE.length][i] ?? 12)).join('  '));
    say(`${chosen.length} kinds of project, ${seconds(startedAt)} in all`);
    const failed = rows.filter((row) => row.includes('FAILED')).map(([name]) => name);
    if (failed.length > 0 || chosen.length === 0)
      throw new SetupError(`failed: ${failed.join('; ') || 'no such kind'}`);
  } finally {
    end();
  }
}
