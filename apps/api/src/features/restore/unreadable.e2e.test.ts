import { copyFile, lstat, readdir, readFile, readlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { deriveLookupKey, lookupTag, openRecord, recordSize } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { MINUTE_MS } from '@svc/protocol';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAdmin } from '../../compose/operator.ts';
import { type RunningApi, startApi } from '../../compose/start-api.ts';
import { type ApiConfig, readConfig } from '../../config/config.ts';
import { openKeyEncryption } from '../../crypto/key-encryption.ts';
import { wrappingContext } from '../../crypto/key-ring.ts';
import type { KeyName } from '../../crypto/key-store.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../db/embedded/index.ts';
import { systemRandom } from '../../platform/ports.ts';
import { enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { removeDataDirectory } from '../../testing/postgres.ts';
import { createLogSink, createManualClock, sendJson, testModels } from '../../testing/test-api.ts';

/** A person to search for, with the binding of the record. */
interface SoughtPerson extends KeyName {
  readonly personId: string;
  readonly engineId: string;
  readonly dimension: number;
}

const LOG_PAGE_BYTES = 8_192;
const [FIRST_HEAD_BYTES, HEAD_BYTES] = [40, 24];

/** A write-ahead log file without page headers, so that rows across pages are contiguous. */
function withoutPageHeads(bytes: Buffer): Buffer {
  const pages: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += LOG_PAGE_BYTES) {
    pages.push(bytes.subarray(at + (at === 0 ? FIRST_HEAD_BYTES : HEAD_BYTES), at + LOG_PAGE_BYTES));
  }
  return Buffer.concat(pages);
}

/** All files below a data directory, including the embedded cluster's. Files deleted meanwhile are skipped. */
async function readDisk(directory: string): Promise<Buffer[]> {
  const files: Buffer[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory()) files.push(...(await readDisk(path)));
    else if (found?.isSymbolicLink()) files.push(...(await readDisk(await readlink(path)).catch(() => [])));
    else if (found?.isFile()) {
      const bytes = await readFile(path).catch(() => null);
      if (bytes === null) continue;
      files.push(bytes);
      if (/^[0-9A-F]{24}$/.test(name)) files.push(withoutPageHeads(bytes));
    }
  }
  return files;
}

function* occurrences(bytes: Buffer, needle: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) yield at;
}

const WRAPPED_BYTES = 72;
/** In a row the wrapped key follows the KEK's id, with lengths between them. */
const BEHIND_KEK_ID = 24;

/** What can be found with access to every byte of a deployment's data directory. */
async function searchDisk(directory: string) {
  const files = await readDisk(directory);
  const keyEncryption = await openKeyEncryption({ random: systemRandom, dataDirectory: directory });
  const known = new Map<string, Promise<Uint8Array[]>>();

  /** Possible wrapped keys: bytes after a KEK's id, and fields of that name in JSON. */
  function* candidates(): Generator<Buffer> {
    for (const bytes of files) {
      for (const kekId of keyEncryption.kekIds) {
        for (const at of occurrences(bytes, Buffer.from(kekId))) {
          const start = at + kekId.length;
          for (let skip = 0; skip < BEHIND_KEK_ID; skip += 1)
            yield bytes.subarray(start + skip, start + skip + WRAPPED_BYTES);
        }
      }
      for (const at of occurrences(bytes, Buffer.from('"wrapped":"'))) {
        const text = /^"wrapped":"([A-Za-z0-9+/=]+)"/.exec(bytes.subarray(at, at + 400).toString('latin1'))?.[1];
        yield Buffer.from(text ?? '', 'base64');
      }
    }
  }

  async function findKeys(name: KeyName): Promise<Uint8Array[]> {
    const keys = new Map<string, Uint8Array>();
    const found = new Map([...candidates()].map((each) => [each.toString('base64'), each]));
    for (const kekId of keyEncryption.kekIds) {
      for (const bytes of found.values()) {
        const key = await keyEncryption.unwrap({ kekId, bytes }, wrappingContext(name)).catch(() => null);
        if (key !== null) keys.set(Buffer.from(key).toString('base64'), key);
      }
    }
    return [...keys.values()];
  }

  /** All keys of a name that the disk yields. */
  function keysOf(name: KeyName): Promise<Uint8Array[]> {
    const wanted = `${name.ownerId} ${name.epoch}`;
    const keys = known.get(wanted) ?? findKeys(name);
    known.set(wanted, keys);
    return keys;
  }

  return {
    keysOf,
    /** Whether a file contains the bytes, raw, in hexadecimal or in base64. */
    has(needle: Buffer): boolean {
      const forms = [needle, Buffer.from(needle.toString('hex')), Buffer.from(needle.toString('base64'))];
      return files.some((bytes) => forms.some((form) => bytes.includes(form)));
    },
    /** Whether a record of the person opens. */
    async opens({ ownerId: listId, epoch, personId, engineId, dimension }: SoughtPerson): Promise<boolean> {
      const aead = createNodeAead();
      for (const listKey of await keysOf({ ownerId: listId, epoch })) {
        const tag = Buffer.from(lookupTag(deriveLookupKey(listKey), personId));
        const found = files.flatMap((bytes) => [...occurrences(bytes, tag)].map((at) => bytes.subarray(at)));
        for (const record of found.map((bytes) => bytes.subarray(0, recordSize(dimension)))) {
          const binding = { listKey, listId, epoch, engineId, dimension, personId, record };
          if ((await openRecord(aead, binding).catch(() => null)) !== null) return true;
        }
      }
      return false;
    },
  };
}

const clock = createManualClock();
let dataDirectory: string;
let apart: string;
let running: RunningApi | null;
let server: EmbeddedServer | null;
let logs: ReturnType<typeof createLogSink>;

beforeEach(async () => {
  dataDirectory = temporaryFolder();
  apart = temporaryFolder();
  [running, server, logs] = [null, null, createLogSink()];
});
afterEach(async () => {
  await running?.close();
  await server?.stop();
  await removeDataDirectory(dataDirectory);
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
  const answer = await sendJson<T>(`${running?.url}${path}`, method, body, { 'X-Api-Key': apiKey });
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
  const disk = await searchDisk(dataDirectory);
  const people = Object.values(sought);
  const readable = await Promise.all(people.map((person) => disk.opens(person)));
  return {
    readable: people.filter((_, i) => readable[i]).map(({ personId }) => personId),
    named: people.map(({ personId }) => personId).filter((name) => disk.has(Buffer.from(name))),
    keyOfGone: (await disk.keysOf({ ownerId: gone, epoch: 1 })).length > 0,
  };
}

const EVERYBODY = [ERASED, STAYING, OF_GONE_LIST, ERASED_OF_GONE_LIST];

/** Runs a statement in the database of a running service. @returns its rows */
async function inCluster(sql: string): Promise<unknown[]> {
  const guest = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: true });
  const client = new pg.Client(guest.owner);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  await guest.stop();
  return rows;
}

/** How many faces were deleted, as the server's statistics tell a few seconds later. */
const deletedFaces = () => inCluster("SELECT n_tup_del::int AS n FROM pg_stat_all_tables WHERE relname = 'faces'");

describe('what was deleted is on the disk no more', () => {
  it('with keys in the folder, as by default', async () => {
    const config = configOf({ SVC_JOBS: 'on', LOG_LEVEL: 'debug' });
    await start(config);
    const scrubbed = () => logs.text.split('"job":"scrub-database"').length - 1;
    await expect.poll(scrubbed).toBe(1);
    const stage = await enrolSome(config);
    expect(await look(stage)).toEqual({ readable: EVERYBODY, named: EVERYBODY, keyOfGone: true });
    await inCluster('ANALYZE');
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

    // Within the next minute, where the service goes on.
    await expect.poll(deletedFaces, { interval: 1_000 }).toEqual([{ n: 3 }]);
    clock.advance(MINUTE_MS);
    await expect.poll(scrubbed).toBe(2);
    expect(await look(stage)).toEqual({ readable: [STAYING], named: [STAYING], keyOfGone: false });

    // At the next start, where it was stopped before.
    await ask(stage.apiKey, 'DELETE', `/v1/lists/${stage.living}/people/${STAYING}`);
    await stop();
    expect(await look(stage)).toMatchObject({ readable: [STAYING] });
    await start(config);
    await expect.poll(scrubbed).toBe(3);
    await stop();
    expect(await look(stage)).toEqual({ readable: [], named: [], keyOfGone: false });
  });
});
