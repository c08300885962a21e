import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

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
