// Counts the lines and files that git tracks, text only (no NUL byte) and without pnpm-lock.yaml; fails above the
// limits.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './lib/setup.mjs';

/** These only go down. A commit that raises one must say why. */
const LIMITS = { lines: 268_500, files: 2_415, 'short source files': 4 };

const SHORT_LINES = 10;
const SOURCE = /\.([cm]?[jt]sx?|kt|swift|dart|cs|py)$/;
/** Entry points of folders, migrations, type declarations for untyped modules, and what React Native generates code of. */
const MAY_BE_SHORT = /(^|\/)(index\.\w+|[\w-]+\.d\.m?ts)$|migrations\/|src\/specs\//;
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^'?]+)/g;

const listed = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout;
const texts = new Map();
for (const path of listed.split('\0')) {
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

const short = shortFiles();
const found = {
  lines: [...texts.values()].reduce((sum, text) => sum + linesOf(text), 0),
  files: texts.size,
  'short source files': short.length,
};
for (const [what, count] of Object.entries(found)) {
  process.stdout.write(`${count.toLocaleString('en')} ${what}, at most ${LIMITS[what].toLocaleString('en')}\n`);
  if (count > LIMITS[what]) process.exitCode = 1;
}
if (found['short source files'] > LIMITS['short source files'] || process.argv.includes('--short')) {
  process.stdout.write(`of ${SHORT_LINES} lines or fewer, and imported:\n${short.join('\n')}\n`);
}
