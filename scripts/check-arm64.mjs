// `node scripts/check-arm64.mjs [RELEASE]`: packs a release for arm64, unless the folder of one is given; QEMU runs it with
// its embedded database as user 1000, and a rendered guest enrols. As root on Debian; slower than such a machine by far.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchFromDebian, installFromDebian, isDebianRoot } from './lib/debian.mjs';
import { installNode, NODE_LINES } from './lib/node-lines.mjs';
import { root, run, SetupError, script } from './lib/setup.mjs';

const USER = 1000;
const PATIENCE_MS = 600_000;
/** A kernel gives each user namespace formats of its own for programs; the machine's stay as they are. */
const INSIDE = `
mount -t binfmt_misc none "$SYSTEM/tmp"
sed 's|^\\(.*\\):/.*|\\1:/usr/bin/qemu-aarch64-static:F|' /usr/lib/binfmt.d/qemu-aarch64.conf > "$SYSTEM/tmp/register"
for path in /dev /proc /tmp "$NODE" "$RELEASE"; do mount --rbind "$path" "$SYSTEM$path"; done
exec unshare --user --map-user=${USER} --map-group=${USER} --root "$SYSTEM" "$@"`;

script(async () => {
  if (!isDebianRoot()) return void process.stdout.write('skipped: only root on Debian emulates another processor\n');
  if (!installFromDebian('qemu-user-static')) throw new SetupError('Debian gave no qemu-user-static');
  const folder = mkdtempSync(join(tmpdir(), 'svc-arm64-'));
  const [data, system] = [join(folder, 'data'), join(folder, 'system')];
  const node = installNode(NODE_LINES.at(-1), 'arm64');
  const [given] = process.argv.slice(2);
  const out = join(folder, 'release');
  if (given === undefined)
    run(process.execPath, [join(root, 'scripts/package.mjs'), '--folder', '--arch', 'arm64', '--out', out]);
  const from = given === undefined ? join(out, readdirSync(out)[0]) : resolve(given);
  for (const path of [data, ...['dev', 'proc', 'tmp', 'etc', node, from].map((each) => join(system, each))])
    mkdirSync(path, { recursive: true });
  for (const path of [folder, data, join(system, 'tmp')]) chownSync(path, USER, USER);
  chmodSync(data, 0o700);
  writeFileSync(join(system, 'etc/passwd'), `svc:x:${USER}:${USER}::/:/bin/sh\n`);
  let service;
  try {
    const packages = ['dash', 'libc6', 'libgcc-s1', 'libstdc++6'];
    for (const file of fetchFromDebian('trixie:arm64', join(folder, 'debian'), 'download', ...packages) ?? [])
      run('dpkg-deb', ['-x', file, system]);
    // As every system of Debian has them.
    for (const [target, path] of Object.entries({ 'usr/lib': 'lib', 'usr/bin': 'bin' }))
      symlinkSync(target, join(system, path));
    if (!existsSync(join(system, 'bin/sh'))) symlinkSync('dash', join(system, 'bin/sh'));
    const own = { SVC_DATA_DIR: data, PORT: '0', SVC_INFERENCE_WORKERS: '1' };
    const env = { PATH: process.env.PATH, SYSTEM: system, NODE: node, RELEASE: from, ...own };
    const start = (program, ...args) => {
      const user = [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
      const within = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-ec', INSIDE, 'sh'];
      const command = [join(node, 'node'), join(from, 'bin', program), ...args];
      return spawn('setpriv', [...user, ...within, ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    };
    const svc = async (...args) => {
      const child = start('svc', ...args);
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const [code] = await once(child, 'close');
      if (code !== 0) throw new SetupError(`svc ${args.join(' ')} ended with ${code}: ${text}`);
      return text;
    };
    const startedAt = performance.now();
    service = start('svc-api');
    let url = null;
    createInterface({ input: service.stdout }).on('line', (line) => {
      url ??= JSON.parse(line).url;
    });
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (url === null || !(await isReady())) {
      if (service.exitCode !== null || performance.now() - startedAt > PATIENCE_MS)
        throw new SetupError('the service for arm64 does not start');
      await sleep(500);
    }
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`arm64: ready after ${seconds} s, with a new database of its own\n${await svc('doctor')}`);

    const made = JSON.parse(await svc('quickstart', '--json'));
    const photo = join(folder, 'selfie.jpg');
    run('npm', ['run', '--silent', 'svc', '--', 'render', '--out', photo]);
    const consent = {
      consentVersion: 'eu-v2',
      givenAt: new Date(),
      explicitBiometricConsent: true,
      writtenRelease: true,
    };
    const imageBase64 = readFileSync(photo).toString('base64');
    const { status } = await fetch(`${url}/v1/lists/${made.listId}/people`, {
      method: 'POST',
      headers: { 'X-Api-Key': made.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ personId: made.ticketId, imageBase64, consent }),
    });
    process.stdout.write(`arm64: enrolment of a rendered guest: ${status}\n`);
    if (status !== 201) throw new SetupError('the release for arm64 enrols nobody');
  } finally {
    if (service?.exitCode === null) {
      service.kill('SIGTERM');
      await once(service, 'close');
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
