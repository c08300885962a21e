/**
 * Prometheus and promtool for the tests of deploy/monitoring. On Debian they are unpacked from its package into
 * `.tools/prometheus`, so that no server is installed or started; elsewhere they must be in the path, or their tests are
 * reported as skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDebianRoot } from './debian.mjs';
import { root } from './setup.mjs';

const folder = join(root, '.tools', 'prometheus');

const isThere = () =>
  existsSync(join(folder, 'usr', 'bin', 'promtool')) || spawnSync('promtool', ['--version']).status === 0;

/** Unpacks the package if possible, and says so if not. */
export function prometheus() {
  if (isThere()) return;
  if (!isDebianRoot()) {
    process.stdout.write('setup: no promtool found; the tests of the alert rules with it are skipped\n');
    return;
  }
  process.stdout.write('setup: fetching Prometheus from the Debian packages\n');
  mkdirSync(folder, { recursive: true });
  const run = (command, ...args) => spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  run('apt-get', 'update', '-qq');
  run('apt-get', 'download', '-qq', 'prometheus');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.deb'))) {
    run('dpkg-deb', '--extract', name, folder);
    rmSync(join(folder, name));
  }
  if (!isThere())
    process.stdout.write('setup: Prometheus could not be fetched; the tests of the alert rules with it are skipped\n');
}
