import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether packages of Debian can be installed: on Debian, as root. */
export const isDebianRoot = () => existsSync('/etc/debian_version') && process.getuid?.() === 0;

/** Asked by every package before it starts a service (policy-rc.d, Debian Policy 9.3.3.1). */
const POLICY = '/usr/sbin/policy-rc.d';

/** Installs packages without starting their services. @returns whether that went well */
export function installFromDebian(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', args, { env, encoding: 'utf8' }).status === 0;
  const forbids = !existsSync(POLICY);
  if (forbids) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt('update', '-qq');
    return apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  } finally {
    if (forbids) rmSync(POLICY, { force: true });
  }
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

const apt = (args, cwd) => spawnSync('apt-get', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });

/** @returns the address of the archive that this machine uses, if any */
export const siteOfDebian = () =>
  apt(['indextargets', '--format', '$(SITE)', 'Created-By: Packages'])
    .stdout.split('\n')
    .find((each) => each.endsWith('/debian'));

/**
 * Fetches packages of another suite of the archive that this machine uses, as if nothing were installed; the machine's own
 * lists and packages stay as they are.
 * @param {string} suite such as `trixie`, or `trixie:arm64`
 * @param folder an empty one for lists and packages
 * @param command of apt-get, with the packages
 * @returns paths of the packages; null where they could not be fetched
 */
export function fetchFromDebian(suite, folder, ...command) {
  const debs = join(folder, 'archives');
  for (const path of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, path), { recursive: true });
  const site = siteOfDebian();
  if (site === undefined) return null;
  const [name, architecture] = suite.split(':');
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${KEYRING}] ${site} ${name} main\n`);
  writeFileSync(join(folder, 'status'), '');
  const options = {
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': folder,
    'Dir::Cache::archives': debs,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    ...(architecture && { 'APT::Architecture': architecture, 'APT::Architectures': architecture }),
  };
  const named = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const isFetched = [['update'], command].every((args) => apt([...named, '-qq', ...args], debs).status === 0);
  if (!isFetched) return null;
  return readdirSync(debs)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(debs, name));
}
