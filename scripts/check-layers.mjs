// Checks the layer rules, and first that each rule can fail: every probe below breaks one rule and must be refused by
// that rule only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import configuration, {
  apiFolders,
  dashboardFolders,
  everything,
  rooms,
  test,
  typeCircles,
} from '../tooling/dependency-cruiser.mjs';
import { root } from './lib/setup.mjs';

const depcruise = join(root, 'node_modules', '.bin', 'depcruise');
const cruise = (...args) =>
  spawnSync(depcruise, ['--config', 'tooling/dependency-cruiser.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
const complain = (message) => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
};

const FEATURE = 'apps/api/src/features/lists';
/** The rule that must refuse the probe, its folder, its content, and its file name. */
const probes = [
  ['no-orphan-names', 'packages/core/src', "export * from '@svc/protocol';"],
  ['portable-packages-know-no-node', 'packages/device-sdk/src', "export * from 'node:fs';"],
  ['protocol-needs-zod-alone', 'packages/protocol/src', "export * from 'fast-check';"],
  ['loader-imports-only-messages', 'apps/widget/src/loader', "export * from 'preact';"],
  ['loader-imports-only-messages', 'apps/widget/src/loader', "export * from '../../ports.ts';"],
  ...dashboardFolders
    .slice(0, -1)
    .map((name) => [`dashboard:${name}`, `apps/dashboard/src/${name}`, "export type * from '../../app/pages.ts';"]),
  ...apiFolders
    .slice(0, -1)
    .map((name) => [`api:${name}`, `apps/api/src/${name}`, "export * from '../../doctor/doctor.ts';"]),
  ['only-stores-know-knex', FEATURE, "export * from 'knex';"],
  ['only-stores-know-knex', FEATURE, "export type { Client } from 'pg';", 'service.ts'],
  ['only-stores-know-knex', 'apps/api/src/http', "export * from 'pg';"],
  ['features-know-no-http', FEATURE, "export type { Request } from 'express';"],
  ['features-know-no-http', FEATURE, "export * from '../../../http/problems.ts';", 'service.ts'],
  ['features-know-no-http', FEATURE, "export * from '../../../http/problems.ts';", 'store.ts'],
  ['stores-know-no-http', 'apps/api/src/jobs', "export type * from '../../http/problems.ts';", 'store.ts'],
  ['http-knows-no-feature', 'apps/api/src/http', "export type * from '../../features/lists/service.ts';"],
  ['features-keep-their-stores', FEATURE, "export * from '../../people/store.ts';"],
  ['features-keep-their-stores', FEATURE, "export * from '../../people/expiry-store.ts';", 'store.ts'],
  ['migrations-import-nothing', 'apps/api/src/db/migrations', "export * from 'node:crypto';"],
  ['migrations-import-nothing', 'apps/api/src/db/key-migrations', "export * from 'node:crypto';"],
  ['public-entry-points-only', 'benchmarks', "export * from '../../packages/core/src/index.ts';"],
  ['no-circles', 'packages/core/src', "export * from './probe.ts';"],
  ['no-test-code-in-products', 'packages/core/src', "export * from '../match.test.ts';"],
  ...Object.entries(rooms).flatMap(([room, allowed]) => roomProbe(room, allowed)),
];

/** A package's file that imports another package by a path, which `public-entry-points-only` refuses as well. */
function roomProbe(room, allowed) {
  if (allowed === everything) return [];
  const other = Object.keys(rooms).find(
    (each) => each !== room && !allowed.some((path) => new RegExp(`^${path}$`).test(each)),
  );
  const folder = existsSync(join(root, room, 'src')) ? `${room}/src` : room;
  return [[`room:${basename(room)}`, folder, `import '${relative(join(folder, 'probe'), `${other}/package.json`)}';`]];
}

const PREFIX = 'layer-probe-';

/** Also removes probes of an interrupted run. */
function removeProbes() {
  for (const [, folder] of probes)
    for (const name of readdirSync(join(root, folder)))
      if (name.startsWith(PREFIX)) rmSync(join(root, folder, name), { recursive: true, force: true });
}

/** SQL outside of a store: on a connection or a transaction that was passed in, or as text. */
const STATEMENTS = [
  /\.raw(<[^>]*>+)?\((?!\{)|\b(where|having|orderBy|groupBy|join)Raw\(/,
  /\b(tx|trx|transaction|connection)(<[^>]*>)?\(['"`]/,
  /(['"`]|^)\s*(SELECT\s|INSERT INTO\s|UPDATE \w+ SET\s|DELETE FROM\s|WITH \w+ AS\s|(CREATE|ALTER|DROP) TABLE\s)/m,
  /import type \{[^}]*\bConnection\b[^}]*\} from '[^']*\/db\/connection\.ts'/,
];
const hasStatement = (source) => STATEMENTS.some((pattern) => pattern.test(source));
const statementProbes = [
  "await tx.raw('SELECT 1');",
  'await tx.raw<{ rows: Row[] }>(FIND, { listId });',
  "query.whereRaw('a IS NOT DISTINCT FROM ?', [a]);",
  "await connection('lists').first('id');",
  'const FIND = `\nSELECT 1 FROM lists`;',
  "const ADD = 'INSERT INTO lists VALUES (?)';",
  'const END = `UPDATE lists SET ended = true`;',
  "import type { Connection, Transaction } from '../../db/connection.ts';",
];

function checkStatements() {
  for (const probe of statementProbes) if (!hasStatement(probe)) complain(`not seen as a statement: ${probe}`);
  const api = join(root, 'apps/api/src');
  for (const name of readdirSync(api, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || /^db\/|^compose\/|store\.ts$|\.test\.ts$|(^|\/)testing\//.test(name)) continue;
    if (hasStatement(readFileSync(join(api, name), 'utf8')))
      complain(`apps/api/src/${name}: statements belong into a store`);
  }
}

/** Every folder of the workspace is covered, and every rule has a probe. */
function checkCompleteness() {
  for (const parent of ['packages', 'apps']) {
    for (const name of readdirSync(join(root, parent))) {
      const room = `${parent}/${name}`;
      if (existsSync(join(root, room, 'package.json')) && rooms[room] === undefined) complain(`${room} is in no rule`);
    }
  }
  for (const { name } of configuration.forbidden) {
    if (!probes.some(([rule]) => rule === name)) complain(`no probe shows that the rule «${name}» can fail`);
  }
}

/** @returns {Map<string, Set<string>>} the rules that refuse a probe, by the probe's folder */
function refusalsOf(folders) {
  const { stdout, stderr } = cruise('--output-type', 'json', ...folders);
  if (stdout === '') throw new Error(`the probes were not read\n${stderr}`);
  const { violations } = JSON.parse(stdout).summary;
  return new Map(
    folders.map((folder) => [
      folder,
      new Set(violations.flatMap(({ from, rule }) => (from.startsWith(`${folder}/`) ? [rule.name] : []))),
    ]),
  );
}

const placed = new Map();
removeProbes();
try {
  for (const [rule, folder, source, name = 'probe.ts'] of probes) {
    const probe = mkdtempSync(join(root, folder, PREFIX));
    writeFileSync(join(probe, name), `${source}\n`);
    placed.set(relative(root, probe), { rule, source });
  }
  for (const [probe, rules] of refusalsOf([...placed.keys()])) {
    const { rule, source } = placed.get(probe);
    const others = [...rules].filter(
      (each) => each !== rule && !(rule.startsWith('room:') && each === 'public-entry-points-only'),
    );
    if (!rules.has(rule)) complain(`the rule «${rule}» let its probe through: ${source}`);
    if (others.length > 0)
      complain(`the probe of «${rule}» is refused by others, too: ${others.join(', ')}: ${source}`);
  }
} finally {
  removeProbes();
}
checkCompleteness();
checkStatements();
if (process.exitCode === undefined) {
  process.stdout.write(`${probes.length + statementProbes.length} probes, each refused by its rule\n`);
}

/** The package of a file, and the folder or, of those directly in its sources, the file itself. */
const packageOf = (path) => path.match(/^(packages|apps)\/[^/]+|^[^/]+/)?.[0];
const folderOf = (path) => (dirname(path) === `${packageOf(path)}/src` ? path : dirname(path));

/** Which folders a folder imports within its package, but for types where a rule lets them be named from anywhere. */
function foldersOf(modules) {
  const folders = new Map();
  const isTest = (path) => test.some((pattern) => new RegExp(pattern).test(path));
  for (const { source, dependencies } of modules) {
    for (const { resolved, dependencyTypes } of dependencies) {
      const [from, to] = [folderOf(source), folderOf(resolved)];
      const isOwn = packageOf(source) === packageOf(resolved) && /\.tsx?$/.test(resolved);
      // Test programs are no layers.
      if (/^(apps\/e2e|benchmarks)\//.test(source)) continue;
      if (!isOwn || from === to || isTest(source) || isTest(resolved)) continue;
      if (dependencyTypes.includes('type-only') && typeCircles.includes(packageOf(source))) continue;
      folders.set(from, (folders.get(from) ?? new Set()).add(to));
    }
  }
  return folders;
}

/** @returns {string[] | null} a way from `at` back to `start`, none twice */
function circleFrom(start, folders, at = start, seen = new Set()) {
  for (const next of folders.get(at) ?? []) {
    if (next === start) return [at];
    if (seen.has(next)) continue;
    const rest = circleFrom(start, folders, next, seen.add(next));
    if (rest !== null) return [at, ...rest];
  }
  return null;
}

function checkFolders(modules) {
  const folders = foldersOf(modules);
  const told = new Set();
  for (const folder of folders.keys()) {
    const circle = told.has(folder) ? null : circleFrom(folder, folders);
    for (const each of circle ?? []) told.add(each);
    if (circle !== null) complain(`a circle of folders: ${[...circle, folder].join(' → ')}`);
  }
}

const probe = (source, resolved) => ({
  source: `packages/core/src/${source}`,
  resolved: `packages/core/src/${resolved}`,
});
const circle = [probe('a/one.ts', 'b/two.ts'), probe('b/three.ts', 'a/four.ts')].map(({ source, resolved }) => ({
  ...{ source, dependencies: [{ resolved, dependencyTypes: ['local'] }] },
}));
if (circleFrom('packages/core/src/a', foldersOf(circle)) === null) complain('a circle of folders is not seen');

const { stdout, stderr } = cruise('--output-type', 'json', 'wasm', 'packages', 'apps', 'benchmarks');
if (stdout === '') throw new Error(`the sources were not read\n${stderr}`);
const { modules, summary } = JSON.parse(stdout);
for (const { rule, from, to } of summary.violations) complain(`${rule.name}: ${from} → ${to}`);
checkFolders(modules);
process.stdout.write(`${modules.length} modules, ${summary.violations.length} against a rule\n`);
