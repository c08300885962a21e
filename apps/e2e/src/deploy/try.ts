/**
 * Runs the processes of deploy/compose/compose.yaml without containers, with Debian's HAProxy, PgBouncer and
 * PostgreSQL: the shipped files as they are, the users, names, secrets and settings of the compose file, a read-only
 * root, and a network of its own. Prints what it finds; exits with 1 when something is not as it must be.
 *
 *   npm run package -- --folder && cd apps/e2e &&
 *     node --conditions=svc-source --import tsx src/deploy/try.ts ../../release/svc-VERSION      (as root, on Linux)
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addresses } from './parts.ts';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
const [release] = process.argv.slice(2);
if (release === undefined) throw new Error('name the folder of a release');

const missing = ['haproxy', 'pgbouncer', 'openssl', 'unshare', 'setpriv', 'ip'].filter(
  (program) => spawnSync('which', [program]).status !== 0,
);
if (process.getuid?.() !== 0) process.stdout.write('skipped: only root makes namespaces\n');
else if (missing.length > 0) process.stdout.write(`skipped: no ${missing.join(', ')}\n`);
else {
  const folder = mkdtempSync('/tmp/svc-deploy-');
  try {
    cpSync(join(repository, 'deploy'), join(folder, 'deploy'), { recursive: true });
    execFileSync(join(folder, 'deploy/compose/make-secrets.sh'), [join(folder, 'secrets')]);
    const lines = Object.entries(addresses).map(([name, address]) => `${address} ${name}\n`);
    writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost\n${lines.join('')}`);
    // PostgreSQL's programs look their user up.
    writeFileSync(join(folder, 'passwd'), 'root:x:0:0::/:/bin/sh\npostgres:x:999:999::/:/bin/sh\n');
    // As the images lay their files out. What is not a volume cannot be written to.
    const lay = `
      set -e
      ip link set lo up
      mount --bind hosts /etc/hosts
      mount --bind passwd /etc/passwd
      for path in /run /opt /var/lib /mnt; do mount -t tmpfs tmpfs $path; done
      mkdir /opt/svc /mnt/deploy
      mount --bind "$RELEASE" /opt/svc
      cp -r deploy/. /mnt/deploy
      cp -a secrets /run/secrets
      chmod 755 /run/secrets
      install -d -o 1000 -g 1000 -m 700 /var/lib/svc
      install -d -o 999 -g 999 -m 755 /run/postgresql
      install -d -o 999 -g 999 -m 700 /var/lib/postgresql
      mount -o remount,ro,bind /opt/svc
      mount -o remount,ro,bind /
      cd "$REPOSITORY/apps/e2e"
      exec "$NODE" --conditions=svc-source --import tsx src/deploy/inside.ts`;
    const { status } = spawnSync('unshare', ['--mount', '--net', 'sh', '-c', lay], {
      cwd: folder,
      stdio: 'inherit',
      env: {
        PATH: `${process.env.PATH}:/usr/sbin`,
        NODE: process.execPath,
        REPOSITORY: repository,
        RELEASE: resolve(release),
        NODE_EXTRA_CA_CERTS: '/run/secrets/ca.pem',
      },
    });
    process.exitCode = status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
