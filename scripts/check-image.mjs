// `node scripts/check-image.mjs RELEASE`, the folder of one: builds deploy/Containerfile and starts deploy/compose with
// podman, in namespaces of its own, as root on Debian. No registry of images is asked: what theirs are based on is made
// of Debian 13's packages and of npm's Node.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetchFromDebian, installFromDebian, isDebianRoot, siteOfDebian } from './lib/debian.mjs';
import { installNode, NODE_LINES } from './lib/node-lines.mjs';
import { root, run, SetupError, script } from './lib/setup.mjs';

const SUITE = 'trixie';
const MAX_BYTES = 350e6;
const DEBIAN = 'docker.io/library/debian:trixie-slim';
const NODE = 'localhost/node';
const SERVICE = 'localhost/svc:trial';
const trial = join(root, 'apps/e2e/src/deploy');

/** Stands in for the image of that name: its user, folders and first start. */
const POSTGRES = `FROM ${DEBIAN}
RUN groupadd -g 999 postgres && useradd -u 999 -g 999 -d /var/lib/postgresql postgres \\
 && apt-get update && apt-get install -y --no-install-recommends postgresql-17 \\
 && install -d -o 999 -g 999 -m 1777 /var/lib/postgresql/data && mkdir -p /docker-entrypoint-initdb.d
ENV PGDATA=/var/lib/postgresql/data PATH=/usr/lib/postgresql/17/bin:/usr/bin:/bin
COPY first-start /usr/bin/
ENTRYPOINT ["/usr/bin/first-start"]
`;
const FIRST_START = `#!/bin/sh
set -e
if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  set_up="$*"
  pg_ctl -w start -o "\${set_up#postgres} -clisten_addresses="
  for file in /docker-entrypoint-initdb.d/*.sql; do psql -v ON_ERROR_STOP=1 -U postgres -f "$file"; done
  pg_ctl -w -m fast stop
fi
exec "$@"
`;

/** As Debian makes its slim image; kept. */
function bootstrapDebian() {
  const file = join(root, '.tools', `debian-${SUITE}.tar`);
  if (existsSync(file)) return file;
  const without = ['doc', 'info', 'locale', 'man'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  run('mmdebstrap', [
    '--quiet',
    '--format=tar',
    '--variant=minbase',
    ...without,
    SUITE,
    `${file}.part`,
    siteOfDebian(),
  ]);
  renameSync(`${file}.part`, file);
  return file;
}

/** @returns Docker Compose, which Debian 12 has no version 2 of */
function fetchCompose(folder) {
  mkdirSync(folder);
  const [file] = fetchFromDebian(SUITE, folder, 'download', 'docker-compose') ?? [];
  if (file === undefined) throw new SetupError('Debian 13 gave no docker-compose');
  run('dpkg-deb', ['-x', file, folder]);
  return join(folder, 'usr/libexec/docker/cli-plugins/docker-compose');
}

script(() => {
  const [release] = process.argv.slice(2);
  if (release === undefined) throw new SetupError('name the folder of a release');
  if (!isDebianRoot()) return void process.stdout.write('skipped: only root on Debian builds and starts containers\n');
  const engine = ['buildah', 'podman', 'crun', 'catatonit', 'netavark', 'aardvark-dns', 'iptables', 'nftables'];
  if (!installFromDebian(...engine, 'mmdebstrap', 'pebble', 'openssl')) throw new SetupError('no podman of Debian');
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'));
  const env = {
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    SVC_IMAGE: SERVICE,
    TMPDIR: folder,
  };
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/images"\nrunroot = "${folder}/run"\n`,
  );
  // A machine without CAP_SYS_RESOURCE raises no limits.
  writeFileSync(
    env.CONTAINERS_CONF,
    '[containers]\nbase_hosts_file = "none"\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n',
  );
  const build = (name, file, context, ...args) =>
    run('buildah', ['build', '-q', '--isolation=chroot', '--format=docker', ...args, '-f', file, '-t', name, context], {
      env,
      quiet: true,
    });
  const buildFrom = (name, text) => {
    writeFileSync(join(folder, 'made/Dockerfile'), text);
    build(name, join(folder, 'made/Dockerfile'), join(folder, 'made'));
  };
  try {
    mkdirSync(join(folder, 'made'));
    copyFileSync(bootstrapDebian(), join(folder, 'made/debian.tar'));
    copyFileSync(join(installNode(NODE_LINES.at(-1)), 'node'), join(folder, 'made/node'));
    writeFileSync(join(folder, 'made/first-start'), FIRST_START, { mode: 0o755 });
    buildFrom(DEBIAN, 'FROM scratch\nADD debian.tar /\nCMD ["bash"]\n');
    // Debian's slim image has this library, which Node needs, for apt.
    buildFrom(NODE, `FROM ${DEBIAN}\nCOPY node /usr/local/bin/\n`);
    build(SERVICE, join(root, 'deploy/Containerfile'), resolve(release), '--build-arg', `BASE_IMAGE=${NODE}`);
    const { stdout } = spawnSync('podman', ['image', 'inspect', '--format', '{{.Size}}', SERVICE, NODE], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    const [bytes, base] = stdout.trim().split('\n').map(Number);
    const shown = (count) => `${(count / 1e6).toFixed(0)} MB`;
    process.stdout.write(`image: ${shown(bytes)}, ${shown(base)} of them the base; at most ${shown(MAX_BYTES)}\n`);
    if (!(bytes <= MAX_BYTES)) throw new SetupError('the image is too large');

    const compose = readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8');
    const inline = /dockerfile_inline: \|\n((?: {6}.*\n)+)/.exec(compose)?.[1] ?? '';
    buildFrom('docker.io/library/svc-debian:13', inline.replaceAll(/^ {6}/gm, ''));
    buildFrom('docker.io/library/postgres:17-bookworm', POSTGRES);
    run('unshare', ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', join(trial, 'inside.sh')], {
      cwd: folder,
      env: {
        ...env,
        ...{ DOCKER_HOST: 'unix:///run/podman.sock', SVC_TEST_COMPOSE: fetchCompose(join(folder, 'compose')) },
        NODE: process.execPath,
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
