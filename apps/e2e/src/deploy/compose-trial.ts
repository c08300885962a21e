/** The part of scripts/check-image.mjs that runs in the namespaces it made. Prints what it finds. */
import { randomBytes } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { SigningStatus } from '@svc/api';
import { startConstantLoad } from '@svc/api/testing';
import { formatSecret } from '@svc/protocol';
import { createSvcClient } from '@svc/server-sdk';
import { photoOf } from '../support/guests.ts';
import { Containers } from './containers.ts';

const DOMAIN = 'check-in.test';
const API = `https://api.${DOMAIN}`;
/** On a machine that has nothing else to do. */
const START_MS = 2_000;
const UNDER_LOAD_MS = 5_000;
const wrong: string[] = [];

function tell(what: string, found: string, isRight: boolean): void {
  process.stdout.write(`${what.padEnd(26)}${found}${isRight ? '' : '  WRONG'}\n`);
  if (!isRight) wrong.push(what);
}

/** Each outcome once. */
const kinds = (failures: readonly string[]) =>
  failures.length === 0 ? 'none' : `${failures.length} (${[...new Set(failures)].join(', ')})`;

const isServed = async () => (await fetch(`${API}/readyz`)).ok;

/** Who signed the certificate that a name is served with. */
const issuerOf = (name: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: name, port: 443, servername: name }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN));
      socket.end();
    }).on('error', reject);
  });

const [folder = ''] = process.argv.slice(2);
const containers = new Containers(folder);
const svc = containers.svc.bind(containers);
const nodes = ['api-a', 'api-b'] as const;

try {
  const startedAt = performance.now();
  let steps = 0;
  const step = async <T>(work: () => Promise<T> | T): Promise<T> => {
    steps += 1;
    return await work();
  };
  await step(() => containers.copyFile());
  await step(() =>
    containers.writeSettings({
      ...{ SVC_IMAGE: process.env.SVC_IMAGE ?? '', SVC_DOMAIN: DOMAIN, COMPOSE_PROFILES: 'acme' },
      ...{ SVC_ACME_EMAIL: 'operator@example.org', SVC_ACME_SERVER: 'https://10.98.0.1:14000/dir' },
    }),
  );
  await step(() => containers.compose('up', '--detach', '--no-build'));
  const made = await step(async () => JSON.parse(await svc('quickstart', '--json')) as Record<string, string>);
  await containers.until('acme', isServed);
  const client = createSvcClient({ baseUrl: API, apiKey: made.apiKey ?? '' });
  const consent = {
    consentVersion: 'eu-v2',
    givenAt: new Date().toISOString(),
    explicitBiometricConsent: true as const,
  };
  const image = await photoOf('anna');
  await step(() =>
    client.enrolPerson(made.listId ?? '', {
      ...{ personId: made.ticketId ?? '', image, consent: { ...consent, writtenRelease: true } },
    }),
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  tell('first enrolment', `in ${steps} steps and ${seconds} s of an empty folder`, steps <= 5);
  tell('people', 'one', (await client.listPeople(made.listId ?? '', {})).items.length === 1);
  const issuers = await Promise.all(
    ['api', 'dashboard', 'kiosk', 'widget'].map((name) => issuerOf(`${name}.${DOMAIN}`)),
  );
  tell(
    'certificate',
    [...new Set(issuers)].join(),
    issuers.every((issuer) => issuer.startsWith('Pebble')),
  );
  const plain = await fetch(`http://api.${DOMAIN}/healthz`, { redirect: 'manual' });
  const to = plain.headers.get('location');
  tell('http', `${plain.status} to ${to}`, plain.status === 308 && to === `${API}/healthz`);

  const uses = await containers.podman('ps', '--format', '{{.Names}}');
  const users = await Promise.all(
    uses
      .split('\n')
      .map(async (name) => [
        name,
        await containers.podman(
          'exec',
          name,
          'sh',
          '-c',
          'id -u; touch /written 2>&1; grep -c . /run/secrets/* | wc -l',
        ),
      ]),
  );
  const isConfined = users.every(([, text]) => /^(1000|999)\n.*Read-only file system/.test(text ?? ''));
  tell('users', `${users.length} containers, none of root, all on a root that is read-only`, isConfined);
  const asService = (statement: string) =>
    containers.in(
      ...(['backup', 'sh', '-c'] as const),
      `PGPASSWORD=${served} psql 'host=pgbouncer port=6432 user=svc_serving dbname=svc' -Atc '${statement}'`,
    );
  const served = (await containers.in('api-a', 'cat', '/run/secrets/serving-password')).trim();
  const limits = `${await asService('SHOW statement_timeout')}, ${await asService('SHOW idle_in_transaction_session_timeout')}`;
  tell('limits behind PgBouncer', limits, limits === '30s, 1min');
  const checks = await svc('doctor');
  tell('svc doctor', 'none failed; the role that serves owns nothing', /database role +ok +svc_serving/.test(checks));
  const dump = 'pg_restore --list /backups/svc-*.dump | grep -c "TABLE DATA public people "';
  await containers.until('backup', async () => (await containers.in('backup', 'sh', '-c', dump)) === '1');
  tell('backup', 'a dump that pg_restore reads', true);

  const startMs: number[] = [];
  for (const name of nodes) startMs.push(await containers.restart(name));
  const busy = Math.max(1, loadavg()[0] ?? 0) / availableParallelism();
  tell(
    'start of a node',
    `${startMs.join(' and ')} ms until it is ready, with a database; ${busy.toFixed(1)} programs a processor`,
    Math.min(...startMs) <= START_MS * Math.max(1, busy),
  );

  const nextKey = await svc('signing-key', 'create');
  const firstKey = await containers.in('api-a', 'cat', '/run/secrets/signing-key.pem');
  await containers.write('service', 'signing-key.pem', `${firstKey}\n${nextKey}\n`);
  const { keys } = JSON.parse(await svc('signing-key', 'status', '--json')) as SigningStatus;
  const places = keys.map(({ role, atHand }) => `${role}${atHand ? '' : ', not here'}`).join(', ');
  tell('next signing key', `printed; ${places}`, places === 'signs, next');

  const account = await svc('account', 'create', '--name', 'Load', '--country', 'DE', '--plan', 'unlimited');
  const apiKey = await svc('key', 'create', '--account', account);
  const statuses = new Set<number>();
  for (let i = 0; i < 300; i += 1) {
    const headers = {
      'X-Api-Key': formatSecret('svck', randomBytes(32)),
      'X-Forwarded-For': `198.51.100.${i % 256}`,
    };
    const answer = await fetch(`${API}/v1/lists`, { headers });
    await answer.arrayBuffer();
    statuses.add(answer.status);
  }
  tell('a forged X-Forwarded-For', `answers ${[...statuses].join(', ')}`, statuses.has(429));

  const load = await startConstantLoad(API, apiKey, await photoOf('ben'));
  for (const name of nodes) {
    await sleep(UNDER_LOAD_MS);
    await containers.compose('up', '--detach', '--no-build', '--no-deps', '--force-recreate', name);
    await containers.until(name, () => containers.isReady(name));
    await containers.until(name, async () =>
      (await containers.compose('logs', 'proxy')).includes(`nodes/${name.at(-1)} is UP`),
    );
  }
  await sleep(UNDER_LOAD_MS);
  const failedBefore = [...load.failures];

  const password = randomBytes(24).toString('base64url');
  await containers.psql(`ALTER ROLE svc_serving PASSWORD '${password}'`);
  await containers.write('service', 'serving-password', password);
  await containers.write('pgbouncer', 'pgbouncer-users', `"svc_serving" "${password}"\n`);
  await containers.compose('kill', '--signal', 'SIGHUP', 'pgbouncer');
  // What is logged in goes on; this makes the rest log in anew.
  await containers.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'svc_serving'");
  const listed = await svc('account', 'list');
  const before = load.answered.enrolled;
  await sleep(UNDER_LOAD_MS);
  const since = load.answered.enrolled - before;
  tell('a new password', `${since} enrolled with it, the command line logs in`, since > 0 && listed.includes(account));
  await load.stop();
  const { enrolled, synced, read } = load.answered;
  const answered = `${enrolled} enrolled, ${synced} synced, ${read} read`;
  tell('both nodes replaced', `${answered}; failed: ${kinds(failedBefore)}`, failedBefore.length === 0);
  const cut = load.failures.slice(failedBefore.length);
  const is503 = cut.every((each) => each.endsWith(': 503'));
  tell('cut off', kinds(cut), is503);

  const said = await containers.compose('logs', '--no-color');
  const kek = await containers.in('api-a', 'cat', '/run/secrets/kek');
  const secrets = [password, served, 'ticket-', nextKey.split('\n')[1] ?? '', kek.trim()];
  tell('logs', 'no personId, key or password', said !== '' && secrets.every((each) => !said.includes(each)));
  await containers.compose('stop');
  const codes = await containers.podman('ps', '--all', '--format', '{{.Names}} {{.ExitCode}}');
  const stopped = codes.split('\n').filter((line) => /api-|pgbouncer|postgres|proxy/.test(line));
  tell(
    'stopped',
    stopped.join(', '),
    stopped.every((line) => / (0|130)$/.test(line)),
  );
  // Again, as for an upgrade: what is there stays.
  await containers.compose('up', '--detach', '--no-build');
  await containers.until('api-a', isServed);
  tell('started again', 'the same guest', (await client.listPeople(made.listId ?? '', {})).items.length === 1);
} finally {
  if (wrong.length > 0) process.exitCode = 1;
  await containers.compose('down', '--timeout', '5').catch((error: unknown) => process.stderr.write(`${error}\n`));
}
