/** npm packages as they lie in this clone: where each is, and which of its files a release needs. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { checkPinned } from '../lib/pinned-package.mjs';
import { root, run, SetupError } from '../lib/setup.mjs';

/** Folder of a package as Node finds it from another folder; null if it is not installed. */
export function folderOf(name, from) {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return null;
  }
}

export const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * A package and everything that it needs, by name. An optional dependency belongs to it where it is installed.
 * @throws Error for a dependency that is not installed
 */
export function withDependencies(names, from, found = new Map()) {
  for (const name of names) {
    const folder = folderOf(name, from);
    if (folder === null) throw new Error(`${name} is not installed`);
    if (found.has(folder)) continue;
    found.set(folder, name);
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
    const optional = Object.keys(optionalDependencies).filter((each) => folderOf(each, folder) !== null);
    const needed = Object.keys(dependencies).filter((each) => !(each in optionalDependencies));
    withDependencies([...needed, ...optional], folder, found);
  }
  return found;
}

/**
 * Fetches a package of the lockfile that is not installed, because it is for another kind of machine.
 * @returns its folder in `.tools/`, where it stays
 */
export function fetchLocked(name, version) {
  const folder = join(root, '.tools', 'packages', `${name.replace('/', '+')}@${version}`);
  if (existsSync(folder)) return folder;
  const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  const [, integrity] =
    lock.split(`\n  '${name}@${version}':\n`)[1]?.match(/^ {4}resolution: \{integrity: sha512-([^,}]+)/) ?? [];
  if (integrity === undefined) throw new SetupError(`the lockfile has no ${name} ${version}`);
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    run('npm', ['pack', '--silent', '--pack-destination', unfinished, `${name}@${version}`], { quiet: true });
    const [file = ''] = readdirSync(unfinished);
    const tarball = join(unfinished, file);
    checkPinned(readFileSync(tarball), { name, version, sha512: Buffer.from(integrity, 'base64').toString('hex') });
    run('tar', ['-xzf', tarball, '-C', unfinished]);
    renameSync(join(unfinished, 'package'), folder);
  } finally {
    rmSync(unfinished, { recursive: true });
  }
  return folder;
}

/** Bytes of the files below a folder, and how many. */
export function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(file.parentPath, file.name)).size, 0);
  return { files: files.length, bytes };
}

const UNNEEDED_FOLDERS = new Set([
  'benchmark',
  'docs',
  'install',
  'node_modules',
  'pkgconfig',
  'scripts',
  'src',
  'test',
  'test-jest',
]);
const UNNEEDED_FILES = /\.(a|d\.[cm]?ts|map|[cm]?ts)$|^(CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|README|SECURITY)\.md$/i;

/** Copies what a package needs at run time. */
export function copyPackage(folder, to) {
  cpSync(folder, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      const inside = relative(folder, path);
      return inside === '' || !(UNNEEDED_FOLDERS.has(basename(path)) || UNNEEDED_FILES.test(basename(path)));
    },
  });
}
