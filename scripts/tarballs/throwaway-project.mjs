// Installs the packages, packed as they are published, in a project outside of the workspace, without a registry:
// their dependencies are linked from the workspace's own store, at the versions that the tarballs ask for.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../lib/setup.mjs';
import { readConfig } from '../release/config.mjs';
import { stage } from '../release/stage.mjs';

const execute = promisify(execFile);

/**
 * @returns {Promise<{directory: string, config: object, tarballs: {name: string, path: string, manifest: object}[], remove(): void}>}
 */
export async function createThrowawayProject() {
  const directory = mkdtempSync(join(tmpdir(), 'svc-consumer-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    writeFileSync(join(directory, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
    // What the programs' types need besides the packages.
    for (const name of ['@types/node', '@types/react', 'react', 'react-native'])
      link(name, '', join(root, 'packages', 'device-sdk-react-native'), directory);
    const config = readConfig();
    const staged = await stage(directory, config);
    const tarballs = await Promise.all(staged.map((packed) => install(packed, directory, config)));
    return { directory, config, tarballs, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function install({ name, path, folder }, directory, { scope }) {
  const target = join(directory, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  await execute('tar', ['-xzf', path, '--strip-components=1', '-C', target]);
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const [dependency, version] of Object.entries(wanted))
    if (!dependency.startsWith(`${scope}/`)) link(dependency, version, join(root, folder), directory);
  return { name, path, manifest };
}

function link(dependency, version, folder, directory) {
  if (/^(workspace|catalog):/.test(version)) throw new Error(`${folder}: ${dependency} was packed as ${version}`);
  const at = join(directory, 'node_modules', dependency);
  mkdirSync(dirname(at), { recursive: true });
  try {
    symlinkSync(realpathSync(join(folder, 'node_modules', dependency)), at);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
