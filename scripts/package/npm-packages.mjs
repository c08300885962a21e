/** npm packages as they lie in this clone: where each is, and which of its files a release needs. */
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

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
