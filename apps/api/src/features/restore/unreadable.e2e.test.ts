import { copyFile, mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@svc/protocol';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveKeys } from '../../compose/admin.ts';
import { openAdmin } from '../../compose/operator.ts';
import { type RunningApi, startApi } from '../../compose.ts';
import { type ApiConfig, readConfig } from '../../config/config.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../db/embedded/index.ts';
import { systemRandom } from '../../platform/ports.ts';
import { DiskSearch, type SoughtPerson } from '../../testing/disk-search.ts';
import { enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { makeOlderKeyStore } from '../../testing/key-stores.ts';
import { createTestDatabase, removeDataDirectory } from '../../testing/postgres.ts';
import { createLogSink, createManualClock, requestJson, testModels } from '../../testing/test-api.ts';

const clock = createManualClock();
let dataDirectory: string;
let apart: string;
let running: RunningApi | null;
let server: EmbeddedServer | null;
let logs: ReturnType<typeof createLogSink>;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'svc-disk-'));
  apart = await mkdtemp(join(tmpdir(), 'svc-apart-'));
  [running, server, logs] = [null, null, createLogSink()];
});
afterEach(async () => {
  await running?.close();
  await server?.stop();
  await removeDataDirectory(dataDirectory);
  await rm(apart, { recursive: true });
});

const configOf = (environment: Record<string, string> = {}): ApiConfig =>
  readConfig({
    PORT: '0',
    LOG_LEVEL: 'info',
    SVC_JOBS: 'off',
    SVC_DATA_DIR: dataDirectory,
    SVC_MODELS_DIR: join(dataDirectory, 'models'),
    ...environment,
  });

async function start(config: ApiConfig): Promise<void> {
  running = await startApi(config, { clock, createInference: createFakeInference, logDestination: logs });
}

async function stop(): Promise<void> {
  await running?.close();
  running = null;
}

async function ask<T = { listId: string }>(apiKey: string, method: string, path: string, body?: unknown) {
  const answer = await requestJson<T>(`${running?.url}${path}`, {
    method,
    headers: { 'X-Api-Key': apiKey, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

const ERASED = 'erased-4c1f09';
const STAYING = 'staying-77ab21';
const OF_GONE_LIST = 'of-gone-list-90d3e4';
const ERASED_OF_GONE_LIST = 'erased-of-gone-list-5e06aa';

interface Stage {
  readonly apiKey: string;
  readonly living: string;
  readonly gone: string;
  readonly sought: Readonly<Record<'erased' | 'staying' | 'ofGone' | 'erasedOfGone', SoughtPerson>>;
}

/** Two lists with two enrolled people each. */
async function enrolSome(config: ApiConfig): Promise<Stage> {
  const admin = await openAdmin(config, { clock });
  const account = await admin.accounts.create({ name: 'Hall', country: 'DE', billingCurrency: 'EUR', plan: 'pilot' });
  const { apiKey } = await admin.keys.create(account.accountId, 'test');
  await admin.close();
  const lists: string[] = [];
  for (const people of [
    [ERASED, STAYING],
    [OF_GONE_LIST, ERASED_OF_GONE_LIST],
  ]) {
    const { listId } = await ask(apiKey, 'POST', '/v1/lists', { name: 'Members', ongoing: true });
    lists.push(listId);
    for (const personId of people) {
      await ask(apiKey, 'POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId }));
    }
  }
  const [living = '', gone = ''] = lists;
  const { engineId, dimension } = testModels.base;
  const person = (ownerId: string, personId: string) => ({ ownerId, epoch: 1, personId, engineId, dimension });
  return {
    ...{ apiKey, living, gone },
    sought: {
      erased: person(living, ERASED),
      staying: person(living, STAYING),
      ofGone: person(gone, OF_GONE_LIST),
      erasedOfGone: person(gone, ERASED_OF_GONE_LIST),
    },
  };
}

async function eraseAndDelete({ apiKey, living, gone }: Stage): Promise<void> {
  await ask(apiKey, 'DELETE', `/v1/lists/${living}/people/${ERASED}`);
  await ask(apiKey, 'DELETE', `/v1/lists/${gone}/people/${ERASED_OF_GONE_LIST}`);
  await ask(apiKey, 'DELETE', `/v1/lists/${gone}`);
}

/** The people whose faces or names can be read with access to every byte of the data directory. */
async function look({ gone, sought }: Stage) {
  const disk = await DiskSearch.of(dataDirectory);
  const readable: string[] = [];
  for (const person of Object.values(sought)) if ((await disk.records(person)) > 0) readable.push(person.personId);
  const names = Object.values(sought).map(({ personId }) => personId);
  return {
    readable,
    named: names.filter((name) => disk.filesWith(Buffer.from(name)).length > 0),
    keyOfGone: await disk.hasKey({ ownerId: gone, epoch: 1 }),
  };
}

const EVERYBODY = [ERASED, STAYING, OF_GONE_LIST, ERASED_OF_GONE_LIST];

/** Collects the planner's statistics. */
async function analyse(): Promise<void> {
  const guest = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: true });
  const client = new pg.Client(guest.target);
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
  await guest.stop();
}

/** Rewrites the tables and runs a checkpoint, as a well-meaning operator might. */
async function vacuum(target: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(target);
  await client.connect();
  await client.query('VACUUM FULL');
  await client.query('CHECKPOINT');
  await client.end();
}

describe('what was deleted is on the disk no more', () => {
  it('with keys in the folder, as by default', async () => {
    const config = configOf();
    await start(config);
    const stage = await enrolSome(config);
    expect(await look(stage)).toEqual({ readable: EVERYBODY, named: EVERYBODY, keyOfGone: true });
    await analyse();
    const stray = join(apart, 'stray');
    await copyFile(join(dataDirectory, 'keys', 'keys', `${stage.gone}.1`), stray);

    await eraseAndDelete(stage);
    const after = await look(stage);
    expect(after.keyOfGone).toBe(false);
    // Only the list's key opens this record, and the other people need it; the record is removed with its file.
    expect(after.readable).toEqual([ERASED, STAYING]);
    // A copy of the key anywhere would be found, and what it opens.
    await copyFile(stray, join(dataDirectory, 'stray'));
    expect(await look(stage)).toMatchObject({ readable: EVERYBODY, keyOfGone: true });
    await unlink(join(dataDirectory, 'stray'));

    await stop();
    expect((await look(stage)).readable).toEqual([ERASED, STAYING]);
    clock.advance(HOUR_MS);
    await start({ ...config, background: { ...config.background, jobs: true } });
    const clean = { readable: [STAYING], named: [STAYING], keyOfGone: false };
    await expect.poll(() => look(stage), { interval: 500 }).toEqual(clean);
    await stop();
    expect(await look(stage)).toEqual(clean);
    await start(config);
    expect(await look(stage)).toEqual(clean);
  });

  it('with keys in a database of their own, in the same cluster', async () => {
    server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: false });
    const target: pg.ClientConfig = { ...server.target };
    const config = configOf({
      DATABASE_URL: await createTestDatabase(target),
      SVC_KEY_DATABASE_URL: await createTestDatabase(target),
    });
    await start(config);
    const stage = await enrolSome(config);
    expect(await look(stage)).toEqual({ readable: EVERYBODY, named: EVERYBODY, keyOfGone: true });
    const secret = join(dataDirectory, 'key-secrets', 'owners', stage.gone);
    await copyFile(secret, join(apart, 'stray'));

    await eraseAndDelete(stage);
    expect(await look(stage)).toMatchObject({ readable: [ERASED, STAYING], keyOfGone: false });
    await copyFile(join(apart, 'stray'), join(dataDirectory, 'stray'));
    expect(await look(stage)).toMatchObject({ readable: EVERYBODY, keyOfGone: true });
    await unlink(join(dataDirectory, 'stray'));

    await stop();
    await vacuum({ ...target, database: new URL(config.databaseUrl ?? '').pathname.slice(1) });
    await server.stop();
    expect(await look(stage)).toMatchObject({ keyOfGone: false });
    server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: false });
    await start(config);
    const { readable, keyOfGone } = await look(stage);
    expect([readable.includes(OF_GONE_LIST), readable.includes(ERASED_OF_GONE_LIST), keyOfGone]).toEqual([
      ...[false, false, false],
    ]);
    expect(readable).toContain(STAYING);
  });

  /** A deployment of an earlier version, with its key store in tables of the main database. */
  async function olderDeployment(): Promise<{ older: ApiConfig; stage: Stage }> {
    server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: false });
    if (!('host' in server.target)) throw new Error('no socket');
    const { user, password, host, port, database: name } = server.target;
    const url = `postgresql://${user}:${password}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
    await makeOlderKeyStore(server.target);
    const older = configOf({ DATABASE_URL: url });
    await start(older);
    expect(logs.text).toContain('svc keys move');
    const stage = await enrolSome(older);
    await eraseAndDelete(stage);
    // The known gap: a deleted list's key in the database's log.
    await vacuum({ ...server.target });
    expect(await look(stage)).toMatchObject({ readable: EVERYBODY, keyOfGone: true });
    await stop();
    return { older, stage };
  }

  it('once keys that an earlier edition kept in the embedded database were moved, by the next start', async () => {
    const { stage } = await olderDeployment();
    await server?.stop();
    await start(configOf());
    expect(logs.text).toContain('were moved to a folder');
    const clean = { readable: [STAYING], named: [STAYING], keyOfGone: false };
    expect(await look(stage)).toEqual(clean);
    await stop();
    await start(configOf());
    expect(await look(stage)).toEqual(clean);
  });

  it('nor in a database of one’s own, once its operator has done what the move asks for', async () => {
    const { older, stage } = await olderDeployment();
    expect(await moveKeys(older)).toMatchObject({ scrubbed: false });
    expect(await look(stage)).toMatchObject({ keyOfGone: true });
    await server?.scrub();
    expect(await look(stage)).toEqual({ readable: [STAYING], named: [STAYING], keyOfGone: false });
    await start(older);
    await ask(stage.apiKey, 'GET', `/v1/lists/${stage.living}/people/${STAYING}`);
  });
});
