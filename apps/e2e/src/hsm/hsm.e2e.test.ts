import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openAdmin, readConfig } from '@svc/api';
import { createTestDatabase, requestJson } from '@svc/api/testing';
import { type Program, startProgram } from '@svc/benchmarks/inputs/program';
import { SyncDevice } from '@svc/benchmarks/inputs/sync-device';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { keyNeedle, searchProcess } from '../memory/needles.ts';
import type { ServiceProcess } from '../memory/service-process.ts';
import { photoOf } from '../support/guests.ts';
import { enrolBody } from '../support/service.ts';

const LIBRARY = process.env.SVC_TEST_HSM ?? '';
const PIN = '87654321';
const AWAY = { status: 503, detail: 'The key-encryption keys are not available now.' };
const kek = randomBytes(32);

let root: string;
let settings: Record<string, string>;
let program: Program<ServiceProcess>;
let service: { readonly url: string; readonly apiKey: string; readonly signingKey: string };
let listId: string;
/** Everybody whose enrolment was answered 201. */
const enrolled = new Set<string>();

const addressOf = (object: string) =>
  `pkcs11:token=svc;object=${object}?module-path=${LIBRARY}&pin-source=${join(root, 'pin')}`;

/** Puts a key into the token that can be searched for. */
function importKek(): void {
  const c = createRequire(new URL('../../../api/package.json', import.meta.url))('pkcs11js');
  const pkcs11 = new c.PKCS11();
  pkcs11.load(LIBRARY);
  pkcs11.C_Initialize();
  const session = pkcs11.C_OpenSession(pkcs11.C_GetSlotList(true)[0], c.CKF_SERIAL_SESSION | c.CKF_RW_SESSION);
  pkcs11.C_Login(session, c.CKU_USER, PIN);
  pkcs11.C_CreateObject(session, [
    { type: c.CKA_CLASS, value: c.CKO_SECRET_KEY },
    { type: c.CKA_KEY_TYPE, value: c.CKK_GENERIC_SECRET },
    { type: c.CKA_LABEL, value: 'first' },
    ...[c.CKA_TOKEN, c.CKA_PRIVATE, c.CKA_SENSITIVE, c.CKA_SIGN].map((type) => ({ type, value: true })),
    { type: c.CKA_EXTRACTABLE, value: false },
    { type: c.CKA_VALUE, value: kek },
  ]);
}

/** Ends the process of the library, as its loss of the HSM does. */
function killLibrary(): void {
  const pids = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8').split(' ').filter(Boolean);
  for (const pid of pids)
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('pkcs11-process')) process.kill(Number(pid), 'SIGKILL');
}

const readiness = async () => (await fetch(`${service.url}/readyz`)).json();
const isReady = () => expect.poll(readiness, { timeout: 120_000 }).toMatchObject({ status: 'ready' });

async function start(...keks: string[]): Promise<void> {
  settings = { ...settings, SVC_KEK: keks.map(addressOf).join() };
  program = startProgram<ServiceProcess>(new URL('../memory/service-process.ts', import.meta.url));
  const { url, apiKey, signingKey } = await program.ask('start', settings);
  service = { url, signingKey, apiKey: service?.apiKey ?? apiKey };
  await isReady();
}

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { 'X-Api-Key': service.apiKey, 'Content-Type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await requestJson<object>(service.url + path, { method, headers, ...sent });
  return { ...answer.body, status: answer.status };
}

async function enrol(personId: string) {
  const photo = await photoOf('anna');
  const { status, detail } = await call('POST', `/v1/lists/${listId}/people`, enrolBody(personId, photo));
  if (status === 201) enrolled.add(personId);
  return { status, detail };
}

/** A new device opens everybody who is enrolled. */
async function opensAll(): Promise<void> {
  const device = new SyncDevice(service, String((await call('POST', `/v1/lists/${listId}/devices`)).token));
  const templates = await device.openPeople(await device.sync(), [...enrolled]);
  expect(templates.filter(Boolean)).toHaveLength(enrolled.size);
  expect((await call('GET', `/v1/lists/${listId}`)).people).toBe(enrolled.size);
}

it('has the KEK nowhere in its memory, loses nothing while the HSM is away, and is rotated', {
  timeout: 900_000,
}, async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-hsm-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'tokens'));
  await writeFile(join(root, 'softhsm2.conf'), `directories.tokendir = ${join(root, 'tokens')}\n`);
  await writeFile(join(root, 'pin'), PIN, { mode: 0o600 });
  vi.stubEnv('SOFTHSM2_CONF', join(root, 'softhsm2.conf'));
  execFileSync('softhsm2-util', ['--init-token', '--free', '--label', 'svc', '--so-pin', '12345678', '--pin', PIN]);
  importKek();
  settings = {
    ...{ PORT: '0', SVC_JOBS: 'off', SVC_INFERENCE_WORKERS: '1', SVC_DATA_DIR: join(root, 'data') },
    ...{ SVC_MODELS_DIR: join(root, 'models'), DATABASE_URL: await createTestDatabase(inject('postgres')) },
  };
  await start('first');
  onTestFinished(() => program.stop());
  listId = String((await call('POST', '/v1/lists', { name: 'Members', ongoing: true })).listId);
  expect((await enrol('before')).status).toBe(201);
  await opensAll();

  const padded = [0x36, 0x5c].map((pad) => kek.map((byte) => byte ^ pad));
  const needles = [kek, ...padded].map((bytes, at) => keyNeedle(`KEK ${at}`, bytes));
  expect((await searchProcess(program.pid, needles)).found).toEqual([]);
  await program.ask('plant', [kek.toString('hex')]);
  expect((await searchProcess(program.pid, needles)).found).toEqual(['KEK 0']);

  await rename(join(root, 'tokens'), join(root, 'away'));
  killLibrary();
  const backAt = performance.now() + 60_000;
  for (let i = 0; performance.now() < backAt; i += 1, await pause(1_000)) {
    expect(await enrol(`during-${i}`)).toEqual(AWAY);
    expect(await readiness()).toMatchObject(AWAY);
    expect((await call('GET', `/v1/lists/${listId}`)).people).toBe(1);
  }
  await rename(join(root, 'away'), join(root, 'tokens'));
  await isReady();
  for (let i = 0; i < 20; i += 1) expect((await enrol(`during-${i}`)).status).toBe(201);
  await opensAll();
  const startedAt = performance.now();
  for (let i = 0; i < 100; i += 1) await call('GET', `/v1/lists/${listId}/people?limit=1`);
  process.stdout.write(`a read with one unwrap: ${((performance.now() - startedAt) / 100).toFixed(1)} ms\n`);

  const keygen = '--keygen --key-type GENERIC:32 --label second --usage-sign --sensitive'.split(' ');
  execFileSync('pkcs11-tool', ['--module', LIBRARY, '--token-label', 'svc', '--login', '--pin', PIN, ...keygen]);
  await program.stop();
  await start('second', 'first');
  const admin = await openAdmin(readConfig(settings));
  expect((await admin.keks.rotate()).keks.map(({ keys }) => keys > 0)).toEqual([true, false]);
  await admin.close();
  await program.stop();
  await start('second');
  expect((await enrol('after')).status).toBe(201);
  await opensAll();
});
