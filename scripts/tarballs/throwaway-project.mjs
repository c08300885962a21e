// Packs every publishable package and installs the tarballs in a project outside of the workspace, without a registry:
// their dependencies are linked from the workspace's own store, at the versions that the tarballs ask for.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../lib/setup.mjs';
import { manifestOf, workspaces } from '../lib/versions.mjs';

const execute = promisify(execFile);
const pnpmScript = join(root, '.tools', 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

/** @returns {{name: string, folder: string}[]} */
function publishable() {
  return workspaces().flatMap((folder) => {
    const { name, private: isPrivate } = manifestOf(folder);
    return isPrivate === true ? [] : [{ name, folder: join(root, folder) }];
  });
}

/**
 * @returns {Promise<{directory: string, tarballs: {name: string, path: string, manifest: object}[], remove(): void}>}
 */
export async function createThrowawayProject() {
  const directory = mkdtempSync(join(tmpdir(), 'svc-consumer-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    writeFileSync(join(directory, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
    // What the programs' types need besides the packages.
    for (const name of ['@types/node', '@types/react', 'react', 'react-native'])
      link(name, '', join(root, 'packages', 'device-sdk-react-native'), directory);
    const tarballs = await Promise.all(publishable().map((packed) => install(packed, directory)));
    return { directory, tarballs, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function install({ name, folder }, directory) {
  // Already built; `prepack` would build each again.
  const packing = [pnpmScript, 'pack', '--json', '--config.ignore-scripts=true', '--pack-destination', directory];
  const { stdout } = await execute(process.execPath, packing, { cwd: folder, maxBuffer: 1 << 26 });
  const path = join(directory, JSON.parse(stdout).filename.split('/').pop());
  const target = join(directory, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  await execute('tar', ['-xzf', path, '--strip-components=1', '-C', target]);
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const [dependency, version] of Object.entries(wanted)) link(dependency, version, folder, directory);
  return { name, path, manifest };
}

function link(dependency, version, folder, directory) {
  if (/^(workspace|catalog):/.test(version)) throw new Error(`${folder}: ${dependency} was packed as ${version}`);
  if (dependency.startsWith('@svc/')) return;
  const at = join(directory, 'node_modules', dependency);
  mkdirSync(dirname(at), { recursive: true });
  try {
    symlinkSync(realpathSync(join(folder, 'node_modules', dependency)), at);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
