// Counts the lines and files that git tracks, text only (no NUL byte) and without pnpm-lock.yaml; fails above the
// limits of tooling/size-limits.json, and for a commit that raised one without a line “Budget: …” in its message.
// `--write` lowers the limits to the counts, `--areas` lists the lines by area, `--short` the short source files.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { complain, root } from './lib/setup.mjs';

const LIMITS = 'tooling/size-limits.json';

const SHORT_LINES = 10;
const SOURCE = /\.([cm]?[jt]sx?|kt|swift|dart|cs|py)$/;
/** Entry points of folders, migrations, type declarations for untyped modules, and what React Native generates code of. */
const MAY_BE_SHORT = /(^|\/)(index\.\w+|[\w-]+\.d\.m?ts)$|migrations\/|src\/specs\//;
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^'?]+)/g;

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout ?? '';

const texts = new Map();
for (const path of git('ls-files', '-z').split('\0')) {
  // Deleted files stay listed until the deletion is committed.
  if (path === '' || path === 'pnpm-lock.yaml' || !existsSync(join(root, path))) continue;
  const bytes = readFileSync(join(root, path));
  if (!bytes.includes(0)) texts.set(path, bytes.toString());
}
const linesOf = (text) => text.split('\n').length - 1;

/** Source files that could be merged into an importer. Files started by their path are not counted. */
function shortFiles() {
  const sources = [...texts].filter(([path]) => SOURCE.test(path));
  const imported = new Set(
    sources.flatMap(([path, text]) => [...text.matchAll(IMPORT)].map(([, to]) => join(dirname(path), to))),
  );
  const short = ([path, text]) => linesOf(text) <= SHORT_LINES && !MAY_BE_SHORT.test(path) && imported.has(path);
  return sources.filter(short).map(([path]) => path);
}

const TEST = /\.(test|spec|test-d)\.[mc]?tsx?$|\/(testing|tests?|Tests)\//;
function areaOf(path) {
  const [first, second] = path.split('/');
  return ['packages', 'apps', 'benchmarks'].includes(first) && path.split('/').length > 2
    ? `${first}/${second}`
    : first;
}

/** Lines by area: a package, an app, a room of the benchmarks, or a folder of the root; files of the root are one. */
function areas() {
  const rows = new Map();
  for (const [path, text] of texts) {
    const area = path.includes('/') ? areaOf(path) : 'files of the root';
    const row = rows.get(area) ?? { files: 0, lines: 0, tests: 0 };
    row.files += 1;
    row.lines += linesOf(text);
    if (TEST.test(path)) row.tests += linesOf(text);
    rows.set(area, row);
  }
  return [...rows].sort(([, a], [, b]) => b.lines - a.lines);
}

const shown = (count) => count.toLocaleString('en');

/** Each commit that raised a limit has to name its budget. A clone without history, or no clone, shows none. */
function checkHistory() {
  let former = null;
  for (const commit of git('log', '--reverse', '--format=%H', '--', LIMITS).split('\n').filter(Boolean)) {
    const limits = JSON.parse(git('show', `${commit}:${LIMITS}`) || 'null');
    const raised = Object.keys(limits ?? {}).filter((what) => former !== null && limits[what] > (former[what] ?? -1));
    if (raised.length > 0 && !/^Budget: \S/m.test(git('show', '-s', '--format=%B', commit)))
      complain(`${commit.slice(0, 10)} raised the limit of ${raised.join(', ')} without a line “Budget: …”`);
    former = limits;
  }
}

if (process.argv.includes('--areas')) {
  for (const [area, { files, lines, tests }] of areas())
    process.stdout.write(
      `${area}: ${shown(lines)} lines in ${shown(files)} files, ${shown(tests)} of them for tests\n`,
    );
}
const limits = JSON.parse(readFileSync(join(root, LIMITS), 'utf8'));
const short = shortFiles();
const found = {
  lines: [...texts.values()].reduce((sum, text) => sum + linesOf(text), 0),
  files: texts.size,
  'short source files': short.length,
};
if (process.argv.includes('--write')) {
  for (const what of Object.keys(found)) limits[what] = Math.min(limits[what], found[what]);
  writeFileSync(join(root, LIMITS), `${JSON.stringify(limits, null, 2)}\n`);
}
for (const [what, count] of Object.entries(found)) {
  process.stdout.write(`${shown(count)} ${what}, at most ${shown(limits[what])}\n`);
  if (count > limits[what]) process.exitCode = 1;
}
if (found['short source files'] > limits['short source files'] || process.argv.includes('--short')) {
  process.stdout.write(`of ${SHORT_LINES} lines or fewer, and imported:\n${short.join('\n')}\n`);
}
checkHistory();
