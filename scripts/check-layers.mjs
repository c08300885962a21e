// Checks the layer rules, that each of them is about modules that exist, and what the rules cannot say: SQL in stores
// alone, and no circles of folders.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import configuration, { rooms, test, typeCircles } from '../tooling/dependency-cruiser.mjs';
import { complain, root } from './lib/setup.mjs';

/** Every folder of the workspace is in a rule, and each side of a rule finds a module: none is about a former name. */
function checkRules(modules) {
  for (const parent of ['packages', 'apps']) {
    for (const name of readdirSync(join(root, parent))) {
      const room = `${parent}/${name}`;
      if (existsSync(join(root, room, 'package.json')) && rooms[room] === undefined) complain(`${room} is in no rule`);
    }
  }
  const paths = modules.flatMap(({ source, dependencies }) => [
    source,
    ...dependencies.map(({ resolved }) => resolved),
  ]);
  for (const { name, from, to } of configuration.forbidden) {
    for (const pattern of [from.path ?? [], to.path ?? []].flat()) {
      if (!paths.some((path) => new RegExp(pattern).test(path))) complain(`${name}: ${pattern} is no module`);
    }
  }
}

/** SQL outside of a store: on a connection or a transaction that was passed in, or as text. */
const STATEMENTS = [
  /\.raw(<[^>]*>+)?\((?!\{)|\b(where|having|orderBy|groupBy|join)Raw\(/,
  /\b(tx|trx|transaction|connection)(<[^>]*>)?\(['"`]/,
  /\browsOf(<[^>]*>)?\((tx|trx|transaction|connection)\b/,
  /(['"`]|^)\s*(SELECT\s|INSERT INTO\s|UPDATE \w+ SET\s|DELETE FROM\s|WITH \w+ AS\s|(CREATE|ALTER|DROP) TABLE\s)/m,
  /import type \{[^}]*\bConnection\b[^}]*\} from '[^']*\/db\/connection\.ts'/,
];

function checkStatements() {
  const api = join(root, 'apps/api/src');
  for (const name of readdirSync(api, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || /^db\/|^compose\/|store\.ts$|\.test\.ts$|(^|\/)testing\//.test(name)) continue;
    const source = readFileSync(join(api, name), 'utf8');
    if (STATEMENTS.some((pattern) => pattern.test(source)))
      complain(`apps/api/src/${name}: statements belong into a store`);
  }
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

const { stdout, stderr } = spawnSync(
  process.execPath,
  [
    ...['scripts/tool.mjs', 'depcruise'],
    ...['--config', 'tooling/dependency-cruiser.mjs', '--output-type', 'json'],
    ...['wasm', 'packages', 'apps', 'benchmarks'],
  ],
  { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 },
);
if (stdout === '') throw new Error(`the sources were not read\n${stderr}`);
const { modules, summary } = JSON.parse(stdout);
for (const { rule, from, to } of summary.violations) complain(`${rule.name}: ${from} → ${to}`);
checkRules(modules);
checkFolders(modules);
checkStatements();
process.stdout.write(`${modules.length} modules, ${summary.violations.length} against a rule\n`);
