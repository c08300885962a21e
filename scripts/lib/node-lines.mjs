/** Node versions that the packages and the artefact are tried on: the oldest supported one, and two lines' newest. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './setup.mjs';

export const NODE_LINES = ['20.19.6', '22.23.3', '24.21.0'];

/**
 * Installs Node out of npm's registry into `.tools/`, where it stays.
 * @param {string} version one of {@link NODE_LINES}
 * @param {string} arch of the machine that it is for
 * @returns {string} the folder with its `node`, to be the first in PATH
 * @throws {SetupError} where the registry has none for this machine
 */
export function installNode(version, arch = process.arch) {
  const { platform } = process;
  // The package `node` is a script that installs this one.
  const name = `node-${platform === 'darwin' && arch === 'arm64' ? 'bin-' : ''}${platform}-${arch}`;
  const folder = join(root, '.tools', `node-${version}${arch === process.arch ? '' : `-${arch}`}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    const flags = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
    if (arch !== process.arch) flags.push('--force');
    run('npm', ['install', '--prefix', unfinished, ...flags, `${name}@${version}`], { quiet: true });
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another build was first.
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, 'node_modules', name, 'bin');
}
