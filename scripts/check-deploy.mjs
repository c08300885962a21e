/**
 * Checks the files of deploy/ with the tools they are for, where those are installed, and that every setting they name
 * exists. What is checked by running it: `npm run test:long -- --only deploy/`.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/setup.mjs';

/** Tenths of the exposure that systemd-analyze may find; it finds 1.3. */
const EXPOSURE = 14;
/** Variables of the files themselves. */
const OWN = /^SVC_(IMAGE|DOMAIN|BACKUP_DAYS|ACME\w*|PROXY_\w+|NODE_[AB])$/;

const deploy = join(root, 'deploy');
const folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'));
const certificate = join(folder, 'proxy.pem');
const problems = [];
const skipped = [];

/** Runs a tool; what it needs is made where it is missing. */
function check(program, args, env = {}) {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    ...{ cwd: deploy, encoding: 'utf8', timeout: 60_000 },
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, ...env },
  });
  if (error?.code === 'ENOENT') skipped.push(program);
  else if (status !== 0) problems.push(`${program} ${args.join(' ')}: ${stdout}${stderr}`.trim());
}

check('openssl', [
  ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'],
  ...['-keyout', certificate, '-out', `${certificate}.crt`],
]);
if (existsSync(certificate)) appendFileSync(certificate, readFileSync(`${certificate}.crt`));
check('haproxy', ['-c', '-q', '-f', 'haproxy/haproxy.cfg'], {
  ...{ SVC_PROXY_CERTIFICATE: certificate, SVC_PROXY_CONNECTIONS: '100', SVC_ACME: '127.0.0.4:8888' },
  ...{ SVC_NODE_A: '127.0.0.2:3000', SVC_NODE_B: '127.0.0.3:3000' },
});
const hosts = ['api', 'dashboard', 'kiosk', 'widget'];
check('systemd-analyze', [
  'security',
  '--offline=true',
  '--no-pager',
  `--threshold=${EXPOSURE}`,
  'systemd/svc@.service',
]);
const values = hosts.map((host) => `hosts.${host}=${host}.example`).join();
check('helm', [
  'lint',
  'helm/svc',
  '--set',
  `image.name=svc,${values},database.url=postgresql://a/b,keys.url=postgresql://c/d`,
]);
rmSync(folder, { recursive: true });

const settings = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8');
const files = readdirSync(deploy, { recursive: true }).filter((path) => statSync(join(deploy, path)).isFile());
for (const path of files) {
  const named = new Set(readFileSync(join(deploy, path), 'utf8').match(/\bSVC_[A-Z_]+[A-Z]\b/g));
  for (const name of named)
    if (!OWN.test(name) && !settings.includes(`| \`${name}\` |`)) problems.push(`${path}: ${name} is no setting`);
}

process.stdout.write(skipped.length > 0 ? `skipped: no ${skipped.join(', ')} (deploy/)\n` : '');
for (const problem of problems) process.stdout.write(`deploy: ${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
