import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FSWatcher, readdirSync, readFileSync, realpathSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAdmin, readConfig, startEmbeddedServer } from '@svc/api';
import { createGuestPage, queryDatabase, removeDataDirectory, requestJson } from '@svc/api/testing';
import { SyncDevice } from '@svc/benchmarks/inputs/sync-device';
import { encodeFloat16 } from '@svc/core';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrolBody } from '../support/service.ts';
import { type Canary, canaryOf, foundIn } from './canaries.ts';
import { portrait, unreadable, unusable, withComments } from './photos.ts';

type GuestPage = ReturnType<typeof createGuestPage>;
type Call = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: T }>;

/** An event with a widget; one guest enrols after an unusable photo, another declines. @returns their tokens */
async function haveGuests(
  url: string,
  call: Call,
  o: { readonly photo: Uint8Array; readonly unusable: Uint8Array; readonly key: string },
): Promise<readonly string[]> {
  const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
  const { eventId } = (await call<{ eventId: string }>('POST', '/v1/events', { name: 'Concert', ...times })).body;
  const settings = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/privacy' };
  await call('POST', `/v1/events/${eventId}/widget`, settings);
  await call('POST', '/v1/lists', { name: 'Concert', eventId });
  const tokensOf = `/v1/events/${eventId}/enrolment-tokens`;
  const tokenFor = async (ticketId: string) =>
    (await call<{ token: string }>('POST', tokensOf, { ticketId, validForHours: 1 })).body.token;
  const tokens = [await tokenFor(GUEST), await tokenFor(DECLINED_TICKET)] as const;
  const [enrols, declines] = tokens.map((token) => createGuestPage({ url }, token)) as [GuestPage, GuestPage];
  const enrol = async (photo: Uint8Array, nth: string) => {
    const body = { imageBase64: Buffer.from(photo).toString('base64') };
    return (await enrols.enrol({ body, key: o.key + nth })).status;
  };
  const statuses = [await enrol(o.unusable, '1'), (await declines.decline()).status];
  expect([...statuses, await enrol(o.photo, '2'), await enrol(o.photo, '2')]).toEqual([422, 204, 201, 201]);
  await call('GET', tokensOf);
  return tokens;
}

const apiFolder = dirname(createRequire(import.meta.url).resolve('@svc/api/package.json'));
const PHOTO_MARK = randomBytes(24);
const PERSON = `canary-person-${randomBytes(9).toString('hex')}`;
const GUEST = `canary-guest-${randomBytes(9).toString('hex')}`;
const DECLINED_TICKET = `canary-ticket-${randomBytes(9).toString('hex')}`;
const OTHER_PERSON = `canary-other-${randomBytes(9).toString('hex')}`;

const dataDirectory = temporaryFolder();
const temporary = temporaryFolder();
let child: ChildProcess;
let log = '';
let databaseUrl: string;
const touched = new Set<string>();
let watcher: FSWatcher;
/** Secrets, which must be nowhere, and personIds, which may be in their own column only. */
const secrets: Canary[] = [
  canaryOf('photo', PHOTO_MARK),
  canaryOf('ticket of a guest who declined', Buffer.from(DECLINED_TICKET)),
];
const people: Canary[] = [
  canaryOf('personId', Buffer.from(PERSON)),
  canaryOf('erased personId', Buffer.from(OTHER_PERSON)),
  canaryOf('guest', Buffer.from(GUEST)),
];

async function startProgram(): Promise<string> {
  child = spawn(process.execPath, ['--conditions=svc-source', '--import', 'tsx', 'src/main.ts'], {
    cwd: apiFolder,
    env: {
      PATH: process.env.PATH,
      HOME: temporary,
      TMPDIR: temporary,
      PORT: '0',
      SVC_DATA_DIR: dataDirectory,
      SVC_INFERENCE_WORKERS: '1',
      LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log += chunk));
  for (;;) {
    const url = /"url":"(http:[^"]+)"/.exec(log)?.[1];
    if (url !== undefined && (await fetch(`${url}/readyz`)).status === 200) return url;
    if (child.exitCode !== null) throw new Error(log);
    await sleep(100);
  }
}

async function stopProgram(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

beforeAll(async () => {
  watcher = watch(temporary, (_event, name) => touched.add(String(name)));
  const url = await startProgram();

  const config = readConfig({ SVC_DATA_DIR: dataDirectory });
  const admin = await openAdmin(config);
  const { accountId } = await admin.accounts.create({
    name: 'Test',
    country: 'DE',
    billingCurrency: 'EUR',
    plan: 'pilot',
  });
  const { apiKey } = await admin.keys.create(accountId, 'test');
  const { signingKey } = admin.region();
  await admin.close();
  secrets.push(canaryOf('API key', Buffer.from(apiKey.slice(5))));

  const call = <T = Record<string, unknown>>(method: string, path: string, body?: unknown, headers = {}) =>
    requestJson<T>(url + path, {
      method,
      headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const { listId } = (await call<{ listId: string }>('POST', '/v1/lists', { name: 'x', ongoing: true })).body;
  const peoplePath = `/v1/lists/${listId}/people`;
  const marked = async (photo: Buffer) => {
    const whole = withComments(photo, PHOTO_MARK.length);
    PHOTO_MARK.copy(whole, 6);
    return whole;
  };
  const photo = await marked(await portrait());
  const middle = (await sharp(photo).raw().toBuffer()).subarray(640 * 240 * 3 + 300 * 3).subarray(0, 48);
  secrets.push(canaryOf('pixels', middle));
  const enrol = (personId: string, bytes: Uint8Array) => call('POST', peoplePath, enrolBody(personId, bytes));

  // Successful requests.
  expect((await enrol(PERSON, photo)).status).toBe(201);
  expect((await enrol(PERSON, photo)).status).toBe(201);
  expect((await enrol(OTHER_PERSON, photo)).status).toBe(201);
  await call('GET', `${peoplePath}/${PERSON}`);
  await call('GET', `${peoplePath}?limit=1`);
  await call('DELETE', `${peoplePath}/${OTHER_PERSON}?reason=consent-withdrawn`);
  const device = await call<{ token: string }>('POST', `/v1/lists/${listId}/devices`, { name: 'gate' });
  secrets.push(canaryOf('device token', Buffer.from(device.body.token.slice(5))));
  const syncDevice = new SyncDevice({ url, signingKey }, device.body.token);
  const answer = await syncDevice.sync();
  secrets.push(canaryOf('list key', await syncDevice.openListKey(answer)));
  const [template = new Float32Array()] = await syncDevice.openPeople(answer, [PERSON]);
  secrets.push(canaryOf('template, half floats', encodeFloat16(template).subarray(32, 64)));
  secrets.push(canaryOf('template, floats', Buffer.from(template.buffer, template.byteOffset + 64, 32)));

  const unusablePhoto = Buffer.concat([(await unusable['an empty room']?.photo()) ?? Buffer.alloc(0), PHOTO_MARK]);
  const key = randomBytes(24).toString('hex');
  secrets.push(canaryOf('Idempotency-Key', Buffer.from(key)));
  for (const token of await haveGuests(url, call, { photo, unusable: unusablePhoto, key }))
    secrets.push(canaryOf('enrolment token', Buffer.from(token.slice(5))));

  // Failing requests, with secrets in every wrong place.
  for (const take of [...Object.values(unusable).map((entry) => entry.photo), ...Object.values(unreadable)]) {
    await enrol(PERSON, Buffer.concat([await take(), PHOTO_MARK]));
  }
  const whole = JSON.stringify(enrolBody(PERSON, photo));
  await call('POST', peoplePath, whole.slice(0, -1));
  await call('POST', peoplePath, whole, { 'Content-Type': 'text/plain' });
  await call('POST', peoplePath, enrolBody(PERSON.repeat(20), photo));
  await call('POST', peoplePath, enrolBody(PERSON, photo, { givenAt: PERSON, writtenRelease: PERSON }));
  await call('POST', `/v1/lists/${PERSON}/people`, enrolBody(PERSON, photo));
  await call('GET', `/${PERSON}?key=${apiKey}&token=${device.body.token}`);
  await call('GET', `${peoplePath}/${PERSON}%00`);
  await call('GET', `${peoplePath}?cursor=${PERSON}`);
  await call('GET', '/v1/lists', undefined, { 'X-Api-Key': `${apiKey}x` });
  await call('GET', '/v1/lists', undefined, { 'X-Api-Key': device.body.token });
  await call('GET', '/v1/device/sync', undefined, { Authorization: `Bearer ${apiKey}` });

  // An internal error: the statement and its values are available to the code that logs it.
  const guest = await startEmbeddedServer({
    dataDirectory,
    random: { bytes: (length) => new Uint8Array(randomBytes(length)) },
    share: true,
  });
  const { user, password, host, port, database } = guest.owner;
  databaseUrl = `postgresql://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  await queryDatabase(databaseUrl, 'ALTER TABLE people ADD CONSTRAINT broken CHECK (person_id = model_id) NOT VALID');
  expect((await enrol(PERSON, photo)).status).toBe(500);
  await queryDatabase(databaseUrl, 'ALTER TABLE people DROP CONSTRAINT broken');
}, 240_000);

afterAll(async () => {
  watcher?.close();
  await stopProgram();
  await removeDataDirectory(dataDirectory);
});

/** Every file below a folder, by its relative path, except those that the database has removed since they were listed. */
function filesOf(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      files.set(path.slice(folder.length + 1), readFileSync(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return files;
}

describe('after successful and failed enrolments', () => {
  it('each canary is found in the places that must hold it', () => {
    const place = Buffer.concat([
      PHOTO_MARK,
      Buffer.from(`${PERSON} x${Buffer.from(OTHER_PERSON).toString('base64')}`),
    ]);
    expect(foundIn(place, [...secrets, ...people])).toEqual(['photo', 'personId', 'erased personId']);
    expect(secrets.map((canary) => canary.name)).toHaveLength(11);
  });

  it('the logs hold none', async () => {
    await expect.poll(() => log).toContain('"msg":"request failed"');
    expect(log.split('\n').length).toBeGreaterThan(30);
    expect(foundIn(Buffer.from(log), [...secrets, ...people])).toEqual([]);
  });

  it('the rows of the database hold none, except the personId in its column', async () => {
    const columns = await queryDatabase<{ table_name: string; column_name: string; data_type: string }>(
      databaseUrl,
      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'",
    );
    const found: string[] = [];
    for (const { table_name, column_name, data_type } of columns) {
      const value = data_type === 'bytea' ? `encode("${column_name}", 'hex')` : `"${column_name}"::text`;
      const rows = await queryDatabase<{ value: string | null }>(
        databaseUrl,
        `SELECT ${value} AS value FROM ${table_name}`,
      );
      const place = Buffer.from(rows.map((row) => row.value).join('\n'));
      for (const name of foundIn(place, [...secrets, ...people])) found.push(`${table_name}.${column_name}: ${name}`);
    }
    expect(columns.length).toBeGreaterThan(60);
    expect(found).toEqual(['people.person_id: personId', 'people.person_id: guest']);
  });

  it('the temporary directory was not written to', () => {
    expect([...touched].filter((name) => !name.startsWith('tsx-'))).toEqual([]);
    for (const [name, content] of filesOf(temporary)) {
      expect([name, foundIn(content, [...secrets, ...people])]).toEqual([name, []]);
    }
  });

  it('the data directory holds none, before and after the service stopped; personIds are in the database’s files only', async () => {
    const check = () => {
      const database = realpathSync(join(dataDirectory, 'postgres'));
      const found: string[] = [];
      for (const [name, content] of filesOf(dataDirectory)) {
        if (!name.startsWith('postgres/'))
          found.push(...foundIn(content, [...secrets, ...people]).map((what) => `${name}: ${what}`));
      }
      for (const [name, content] of filesOf(database)) {
        const looked = name.startsWith('cluster/') ? secrets : [...secrets, ...people];
        found.push(...foundIn(content, looked).map((what) => `${name}: ${what}`));
      }
      return found;
    };
    await queryDatabase(databaseUrl, 'CHECKPOINT');
    expect(check()).toEqual([]);
    await stopProgram();
    expect(check()).toEqual([]);
  });
});
