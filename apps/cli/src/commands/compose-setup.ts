// The library of certificates needs it.
import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Command } from 'commander';
import { fromInvocation } from '../paths.ts';

/** The volumes of deploy/compose/compose.yaml and the user of the containers that mount each; 999 is PostgreSQL's. */
const VOLUMES = {
  ...{ service: 1000, owner: 1000, pgbouncer: 1000, proxy: 1000, acme: 1000 },
  ...{ postgres: 999, backup: 999, backups: 999 },
};
type Volume = keyof typeof VOLUMES;

/** Files of `deploy/` that the containers read, by their volume. */
const SHIPPED = {
  'haproxy/haproxy.cfg': 'proxy',
  'pgbouncer/pgbouncer.ini': 'pgbouncer',
  'postgresql/init.sql': 'postgres',
  'postgresql/svc.conf': 'postgres',
} as const;

const DAY_MS = 86_400_000;
/** Nobody renews the certificates between the containers. */
const INSIDE_DAYS = 3_650;
/** The most that browsers take. */
const OUTSIDE_DAYS = 397;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const password = () => randomBytes(24).toString('base64url');

/** A certificate that its reader trusts as it is, and its key, in PEM. */
async function selfSigned(names: readonly string[], days: number): Promise<{ certificate: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [names[0] ?? ''] }],
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: ECDSA,
    keys,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    ],
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: `${certificate.toString('pem')}\n`, key: `${key}\n` };
}

/** @returns null where there is none */
const read = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/**
 * Fills the volumes of the compose file, each file readable by its container's user alone. Secrets that are there stay: no
 * list opens without its KEK, and no device trusts another signing key.
 * @param given folder whose files are taken instead of new ones, and instead of the shipped ones
 */
export async function setUpCompose(volumes: string, given: string, domain: string): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  async function own(path: string, volume: Volume): Promise<void> {
    if (isRoot) await chown(path, VOLUMES[volume], VOLUMES[volume]);
  }
  async function write(volume: Volume, name: string, text: string): Promise<void> {
    const path = join(volumes, volume, name);
    await writeFile(`${path}.new`, text, { mode: 0o400, flush: true });
    await own(`${path}.new`, volume);
    await rename(`${path}.new`, path);
  }
  const taken = (name: string) => read(join(given, basename(name)));
  async function keep(volume: Volume, name: string, make: () => Promise<string> | string): Promise<string> {
    const there = await read(join(volumes, volume, name));
    if (there !== null) return there;
    const text = await make();
    await write(volume, name, text);
    return text;
  }
  const secret = (volume: Volume, name: string, make: () => string) =>
    keep(volume, name, async () => (await taken(name)) ?? make());

  for (const volume of Object.keys(VOLUMES) as Volume[]) {
    await mkdir(join(volumes, volume), { recursive: true, mode: 0o700 });
    await own(join(volumes, volume), volume);
  }
  const serving = (await secret('service', 'serving-password', password)).trim();
  const owner = (await secret('owner', 'database-password', password)).trim();
  await secret('postgres', 'superuser-password', password);
  await secret('service', 'kek', () => `${randomBytes(32).toString('base64')}\n`);
  await secret('service', 'signing-key.pem', () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  await keep('postgres', 'serving-role-password', () => serving);
  await keep('postgres', 'role-password', () => owner);
  await keep('pgbouncer', 'pgbouncer-users', () => `"svc_serving" "${serving}"\n`);
  await keep('backup', 'pgpass', () => `postgres:5432:svc:svc:${owner}\n`);

  let trusted = '';
  for (const name of ['postgres', 'pgbouncer'] as const) {
    trusted += await keep(name, `${name}.pem`, async () => {
      const { certificate, key } = await selfSigned([name], INSIDE_DAYS);
      await write(name, `${name}.key`, key);
      return certificate;
    });
  }
  for (const volume of ['service', 'pgbouncer', 'backup'] as const) await write(volume, 'ca.pem', trusted);

  const certificate = await taken('proxy.pem');
  if (certificate !== null) await write('proxy', 'proxy.pem', certificate);
  await keep('proxy', 'proxy.pem', async () =>
    Object.values(await selfSigned([domain, `*.${domain}`], OUTSIDE_DAYS)).join(''),
  );
  const release = process.env.SVC_RELEASE ?? fileURLToPath(new URL('../../../..', import.meta.url));
  for (const [path, volume] of Object.entries(SHIPPED))
    await write(volume, basename(path), (await taken(path)) ?? (await readFile(join(release, 'deploy', path), 'utf8')));
}

export function registerComposeSetup(program: Command): void {
  program
    .command('compose-setup')
    .description(
      'Fills the volumes of the compose file with secrets and settings; what is there stays. It starts by itself.',
    )
    .argument('<volumes>', 'folder of the volumes')
    .requiredOption('--given <folder>', 'with files of yours, such as proxy.pem')
    .requiredOption('--domain <name>', 'above the four host names')
    .action((volumes: string, { given, domain }: { given: string; domain: string }) =>
      setUpCompose(fromInvocation(volumes), fromInvocation(given), domain),
    );
}
