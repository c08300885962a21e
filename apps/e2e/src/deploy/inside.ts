/** The part of try.ts that runs in the namespaces it made. */
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SigningStatus } from '@svc/api';
import { startConstantLoad } from '@svc/api/testing';
import { formatSecret } from '@svc/protocol';
import { enrolWith } from '../packaged/organiser.ts';
import { photoOf } from '../support/guests.ts';
import {
  addresses,
  asService,
  migrate,
  type Part,
  psql,
  startNode,
  startPgBouncer,
  startPostgres,
  startProxy,
  svc,
} from './parts.ts';

const URL_OF_PROXY = 'https://localhost:8443';
const PATIENCE_MS = 120_000;
const UNDER_LOAD_MS = 5_000;
const wrong: string[] = [];

function tell(what: string, found: string, isRight: boolean): void {
  process.stdout.write(`${what.padEnd(26)}${found}${isRight ? '' : '  WRONG'}\n`);
  if (!isRight) wrong.push(what);
}

/** Waits until it is so, as long as the part runs. */
async function until(part: Part, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && !part.hasEnded; await sleep(100)) {
    if (await isSo().catch(() => false)) return;
  }
  throw new Error(`it does not serve: ${part.output.slice(-4_000)}${part.errors}`);
}

const ready = async (url: string) => (await fetch(`${url}/readyz`)).ok;

/** Each outcome once. */
const kinds = (failures: readonly string[]) =>
  failures.length === 0 ? 'none' : `${failures.length} (${[...new Set(failures)].join(', ')})`;

function postgresPrograms(): string {
  const versions = readdirSync('/usr/lib/postgresql').map(Number);
  return `/usr/lib/postgresql/${Math.max(...versions)}/bin`;
}

const parts: Part[] = [];
const begin = (part: Part): Part => {
  parts.push(part);
  return part;
};

try {
  const postgres = begin(await startPostgres(postgresPrograms()));
  await until(
    postgres,
    async () => existsSync('/run/postgresql/.s.PGSQL.5432') && (await psql('-c', 'SELECT 1')) === '1',
  );
  await psql('-f', '/mnt/deploy/postgresql/init.sql', 'postgres');
  const pgBouncer = begin(startPgBouncer());
  await until(pgBouncer, async () => (await asService('SELECT 1')) === '1');
  const limits = `${await asService('SHOW statement_timeout')}, ${await asService('SHOW idle_in_transaction_session_timeout')}`;
  tell('limits behind PgBouncer', limits, limits === '30s, 1min');

  await migrate();
  const nodes = { 'api-a': begin(startNode('api-a')), 'api-b': begin(startNode('api-b')) };
  const names = Object.keys(nodes) as (keyof typeof nodes)[];
  for (const name of names) await until(nodes[name], () => ready(`http://${addresses[name]}:3000`));
  const proxy = begin(startProxy());
  await until(proxy, () => ready(URL_OF_PROXY));
  tell('https', 'ready through the proxy, its certificate verified', true);
  const plain = await fetch('http://localhost:8080/healthz', { redirect: 'manual' });
  const to = plain.headers.get('location');
  tell('http', `${plain.status} to ${to}`, plain.status === 308 && to === 'https://localhost:8080/healthz');

  const { client, listId } = await enrolWith({ svc }, URL_OF_PROXY);
  tell('enrolment', 'one person', (await client.listPeople(listId, {})).items.length === 1);
  const checks = await svc(['doctor']);
  tell('svc doctor', 'none failed; the role that serves owns nothing', /database role +ok +svc_serving/.test(checks));

  const nextKey = await svc(['signing-key', 'create']);
  appendFileSync('/run/secrets/signing-key.pem', `${nextKey}\n`);
  const { keys } = JSON.parse(await svc(['signing-key', 'status', '--json'])) as SigningStatus;
  const places = keys.map(({ role, atHand }) => `${role}${atHand ? '' : ', not here'}`).join(', ');
  tell('next signing key', `printed; ${places}`, places === 'signs, next');

  const account = await svc(['account', 'create', '--name', 'Load', '--country', 'DE', '--plan', 'unlimited']);
  const apiKey = await svc(['key', 'create', '--account', account]);
  const statuses = new Set<number>();
  for (let i = 0; i < 300; i += 1) {
    const headers = {
      'X-Api-Key': formatSecret('svck', randomBytes(32)),
      'X-Forwarded-For': `198.51.100.${i % 256}`,
    };
    const answer = await fetch(`${URL_OF_PROXY}/v1/lists`, { headers });
    await answer.arrayBuffer();
    statuses.add(answer.status);
  }
  tell('a forged X-Forwarded-For', `answers ${[...statuses].join(', ')}`, statuses.has(429));

  const load = await startConstantLoad(URL_OF_PROXY, apiKey, await photoOf('ben'));
  for (const name of names) {
    await sleep(UNDER_LOAD_MS);
    const code = await nodes[name].end('SIGTERM');
    nodes[name] = begin(startNode(name));
    await until(nodes[name], () => ready(`http://${addresses[name]}:3000`));
    tell(`${name} replaced`, `exit code ${code}`, code === 0);
  }
  await sleep(UNDER_LOAD_MS);

  const failedBefore = [...load.failures];

  const password = randomBytes(24).toString('base64url');
  await psql('-c', `ALTER ROLE svc_serving PASSWORD '${password}'`);
  writeFileSync('/run/secrets/serving-password', password);
  writeFileSync('/run/secrets/pgbouncer-users', `"svc_serving" "${password}"\n`);
  pgBouncer.signal('SIGHUP');
  // What is logged in goes on; this makes the rest log in anew.
  await psql('-c', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'svc_serving'");
  const listed = await svc(['account', 'list']);
  const before = load.answered.enrolled;
  await sleep(UNDER_LOAD_MS);
  const since = load.answered.enrolled - before;
  tell('a new password', `${since} enrolled with it, the command line logs in`, since > 0 && listed.includes(account));
  await load.stop();
  const { enrolled, synced, read } = load.answered;
  const answered = `${enrolled} enrolled, ${synced} synced, ${read} read`;
  tell('under load', `${answered}; failed: ${kinds(failedBefore)}`, failedBefore.length === 0);
  const cut = load.failures.slice(failedBefore.length);
  tell(
    'cut off',
    kinds(cut),
    cut.every((each) => each.endsWith(': 503')),
  );
  tell(
    'ready again',
    'both',
    (await Promise.all(names.map((name) => ready(`http://${addresses[name]}:3000`)))).every(Boolean),
  );

  for (const name of names) tell(`${name} stopped`, 'SIGTERM', (await nodes[name].end('SIGTERM')) === 0);
  tell('PgBouncer stopped', 'SIGINT', (await pgBouncer.end('SIGINT')) === 0);
  tell('PostgreSQL stopped', 'SIGINT', (await postgres.end('SIGINT')) === 0);
  await proxy.end('SIGUSR1');
  const said = parts.map((part) => part.output + part.errors).join('');
  const secrets = [password, 'ticket-', nextKey.split('\n')[1] ?? '', readFileSync('/run/secrets/kek', 'utf8').trim()];
  tell(
    'logs',
    'no personId, key or password',
    secrets.every((each) => !said.includes(each)),
  );
} finally {
  for (const part of parts.filter((each) => !each.hasEnded)) part.signal('SIGKILL');
}
if (wrong.length > 0) process.exitCode = 1;
