/** The packages as they are published: packed by pnpm, then with the fields, documents and scope of a release. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../lib/setup.mjs';
import { pnpmScript, publishedPackages, WORKSPACE_SCOPE } from './config.mjs';

const execute = promisify(execFile);

/** Replaces the workspace's scope in every file below a folder. */
export function renameScope(folder, scope) {
  if (scope === WORKSPACE_SCOPE) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    if (bytes.includes(`${WORKSPACE_SCOPE}/`))
      writeFileSync(path, bytes.toString().replaceAll(`${WORKSPACE_SCOPE}/`, `${scope}/`));
  }
}

/** Exports without the condition of the workspace, and without the entry points that only it has. */
const publicExports = (exports) =>
  Object.fromEntries(
    Object.entries(exports).flatMap(([entry, target]) => {
      if (typeof target === 'string') return [[entry, target]];
      const { 'svc-source': _, ...conditions } = target;
      return Object.keys(conditions).length === 0 ? [] : [[entry, conditions]];
    }),
  );

/** A packed manifest with what a registry shows. */
export function publicManifest({ scripts: _, devDependencies: __, ...manifest }, folder, config) {
  return {
    ...manifest,
    homepage: config.repository,
    repository: { type: 'git', url: `git+${config.repository}.git`, directory: folder },
    bugs: { url: config.support },
    files: [...manifest.files, 'CHANGELOG.md'],
    exports: publicExports(manifest.exports),
  };
}

/** Links of a document lead into the repository, at the tag of the version. */
const absoluteLinks = (text, folder, { repository }, version) =>
  text.replaceAll(
    /\]\((?![a-z]+:|#)([^)\s]+)\)/g,
    (_, to) => `](${repository}/blob/v${version}/${posix.join(folder, to)})`,
  );

/** Turns what pnpm has packed and unpacked into what is published. */
function prepare(unpacked, folder, config) {
  const at = (file) => join(unpacked, file);
  const manifest = publicManifest(JSON.parse(readFileSync(at('package.json'), 'utf8')), folder, config);
  writeFileSync(at('package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [name, from] of [
    ['README.md', folder],
    ['CHANGELOG.md', '.'],
  ]) {
    const text = readFileSync(join(root, from, name), 'utf8');
    writeFileSync(at(name), absoluteLinks(text, from, config, manifest.version));
  }
  renameScope(unpacked, config.scope);
}

/**
 * Writes the tarballs of all packages, which must have been built, into an existing folder. The same commit and
 * configuration give the same bytes.
 * @returns {Promise<{short: string, folder: string, name: string, version: string, integrity: string, path: string}[]>}
 */
export async function stage(out, config) {
  const packages = publishedPackages();
  const run = async (command, ...args) =>
    (
      await execute(command, args, {
        cwd: root,
        maxBuffer: 1 << 28,
        env: { ...process.env, npm_config_loglevel: 'error' },
      })
    ).stdout;
  const work = mkdtempSync(join(out, 'staged-'));
  try {
    // Already built; `prepack` would build each again.
    const filters = packages.map(({ folder }) => `--filter=./${folder}`);
    const packing = ['pack', '--json', '--config.ignore-scripts=true', '--pack-destination', work];
    const packed = JSON.parse(await run(process.execPath, pnpmScript, '--recursive', ...filters, ...packing));
    for (const { folder, short } of packages) {
      const { filename } = packed.find(({ name }) => name === `${WORKSPACE_SCOPE}/${short}`);
      mkdirSync(join(work, short));
      await run('tar', '-xzf', filename, '--strip-components=1', '-C', join(work, short));
      prepare(join(work, short), folder, config);
    }
    const folders = packages.map(({ short }) => join(work, short));
    const tarballs = JSON.parse(
      await run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', out, ...folders),
    );
    return packages.map(({ folder, short }) => {
      const { name, version, filename, integrity } = tarballs.find((one) => one.name === `${config.scope}/${short}`);
      return { short, folder, name, version, integrity, path: join(out, filename) };
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
