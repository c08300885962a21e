import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterEach, beforeEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { startApi } from '../compose/start-api.ts';
import { systemRandom } from '../platform/ports.ts';
import { createList, enrolBody, enrolPerson } from '../testing/enrolment-fixture.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { listenOnLoopback } from '../testing/loopback.ts';
import { createLogSink, createManualClock, oneNodeOnly, startTestApi } from '../testing/test-api.ts';
import { askSync, newDeviceKey } from '../testing/test-device.ts';
import { KeyEncryptionUnavailableError } from './kek.ts';
import { openKeyEncryption, parseKeks } from './key-encryption.ts';
import { openBox, sealBox } from './sealed-box.ts';

/** The part of the Transit engine of Vault and OpenBao that the service uses, with keys of any name. */
async function startVault() {
  const fake = {
    token: 'hvs.test-token',
    /** Answered to everything, in place of doing it; 0: no answer at all. */
    status: 200,
    /** Sent in place of any answer's body. */
    text: null as string | null,
    settings: { type: 'aes256-gcm96', derived: false, exportable: false, allow_plaintext_backup: false },
    /** Path and body of each request. */
    requests: [] as string[],
  };
  const kek = randomBytes(32);
  const operations: Readonly<Record<string, (body: string) => object | null>> = {
    keys: () => fake.settings,
    'datakey/plaintext'() {
      const key = randomBytes(32);
      const box = Buffer.from(sealBox(systemRandom, kek, key, new Uint8Array())).toString('base64');
      return { ciphertext: `vault:v1:${box}`, plaintext: key.toString('base64') };
    },
    decrypt(body) {
      const [, , box = ''] = String(JSON.parse(body).ciphertext).split(':');
      const opened = openBox(kek, Buffer.from(box, 'base64'), new Uint8Array());
      return opened && { plaintext: Buffer.from(opened).toString('base64') };
    },
  };

  /** The answered status, and `data` of a 200. */
  function answer(path: string, token: unknown, body: string): readonly [number, object?] {
    if (fake.status !== 200) return [fake.status];
    if (token !== fake.token) return [403];
    const data = operations[/^\/v1\/transit\/(.+)\/[^/]+$/.exec(path)?.[1] ?? '']?.(body);
    return data == null ? [400] : [200, data];
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      fake.requests.push(`${request.url} ${body}`);
      const [status, data] = answer(request.url ?? '', request.headers['x-vault-token'], body);
      if (status > 0) response.writeHead(status).end(fake.text ?? JSON.stringify({ request_id: 'r', data }));
    });
  });
  const { url, close } = await listenOnLoopback(server);
  return Object.assign(fake, { url: `${url}/v1/transit/keys/svc-kek`, close });
}

const [context, key] = [['lst_a', '1'], randomBytes(32)];
const clock = createManualClock();
let directory: string;
let tokenFile: string;
let vault: Awaited<ReturnType<typeof startVault>>;

beforeEach(async () => {
  vault = await startVault();
  directory = temporaryFolder();
  tokenFile = join(directory, 'token');
  await writeFile(tokenFile, `${vault.token}\n`, { mode: 0o600 });
});
afterEach(() => vault.close());

const open = (kek = vault.url) =>
  openKeyEncryption({ random: systemRandom, dataDirectory: directory, kek, vaultTokenFile: tokenFile });
/** How work ends: the code where an HSM or a vault is unavailable. */
async function endOf(work: Promise<unknown>): Promise<unknown> {
  const [{ reason }] = (await Promise.allSettled([work])) as [{ reason?: Error }];
  return reason instanceof KeyEncryptionUnavailableError ? reason.code : (reason?.constructor.name ?? 'done');
}

it('takes addresses beside keys, one a line', () => {
  const uri = 'pkcs11:token=A%20B;object=svc-kek?module-path=/usr/lib/hsm.so&pin-source=file:/etc/pin';
  const url = 'https://vault.example.org:8200/v1/team/transit/keys/svc-kek';
  expect(parseKeks(`${uri}\n${url}\n${key.toString('base64')}`)).toEqual([
    { token: 'A B', object: 'svc-kek', 'module-path': '/usr/lib/hsm.so', 'pin-source': '/etc/pin' },
    new URL(url),
    Uint8Array.from(key),
  ]);
});

it.each([
  'http://vault.canary/v1/transit/keys/svc-kek',
  'https://canary@vault.example.org/v1/transit/keys/svc-kek',
  'https://vault.example.org/v1/transit/keys/svc-kek?canary',
  'pkcs11:object=svc-kek?module-path=/usr/lib/hsm.so&pin-value=canary',
  'pkcs11:object=canary?module-path=hsm.so',
  'pkcs11:object=canary;id=%01?module-path=/usr/lib/hsm.so',
])('refuses other addresses without echoing them: %s', (text) => {
  expect(() => parseKeks(text)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('canary') }));
});

it('a Transit key wraps under one context, and never sees what it wraps', async () => {
  const keks = await open();
  const wrapped = await keks.wrap(key, context);
  expect(Buffer.from(await keks.unwrap(wrapped, context)).equals(key)).toBe(true);
  expect(await endOf(keks.unwrap(wrapped, ['lst_b', '1']))).toBe('KeyEncryptionError');
  for (const at of [0, 30, wrapped.bytes.length - 1]) {
    const bytes = Uint8Array.from(wrapped.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(await endOf(keks.unwrap({ ...wrapped, bytes }, context))).toBe('KeyEncryptionError');
  }
  expect(vault.requests.join()).not.toContain(key.toString('base64'));
});

it('refuses keys of one path in two vaults, which it could not tell apart', async () => {
  const other = await startVault();
  onTestFinished(() => other.close());
  expect(await endOf(open(`${other.url},${vault.url}`))).toBe('KeyEncryptionError');
  expect((await open(`${vault.url},${vault.url}`)).kekIds).toHaveLength(1);
});

const unfit = [{ type: 'rsa-4096' }, { derived: true }, { exportable: true }, { allow_plaintext_backup: true }];
it.each(unfit)('a Transit key is refused where it cannot wrap or can leave the vault: %j', async (change) => {
  Object.assign(vault.settings, change);
  expect(await endOf(open())).toBe('KeyEncryptionError');
});

it('a Transit key tells why it fails, is asked once a second then, and with the token that its file holds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const keks = await open();
  const wrap = async (change: Partial<typeof vault>) => {
    Object.assign(vault, { status: 200, text: null }, change);
    vi.advanceTimersByTime(1_000);
    return endOf(keks.wrap(key, context));
  };
  expect(await wrap({ status: 0 })).toBe('TIMEOUT');
  expect(await wrap({ text: '{"data":{"plaintext":"AAAA"}}' })).toBe('unknown-answer');
  expect(await wrap({ token: 'hvs.renewed' })).toBe('http-403');
  await writeFile(tokenFile, 'hvs.renewed');
  expect(await wrap({})).toBe('done');
  await chmod(tokenFile, 0o644);
  expect(await wrap({})).not.toMatch(/done|Error/);
  await chmod(tokenFile, 0o600);
  expect(await wrap({ status: 503 })).toBe('http-503');
  const asked = vault.requests.length;
  vault.status = 200;
  expect([await endOf(keks.wrap(key, context)), await keks.answers()]).toEqual(['http-503', false]);
  expect(vault.requests.length).toBe(asked);
  vi.advanceTimersByTime(1_000);
  expect([await keks.answers(), await endOf(keks.wrap(key, context))]).toEqual([true, 'done']);
});

it('a PKCS#11 key whose library cannot be used fails in one line', async () => {
  const opening = open('pkcs11:object=svc-kek?module-path=/nowhere/hsm.so');
  expect(await endOf(opening)).not.toBe('done');
});

it('a service loses nothing while the vault is away, says so, and goes on by itself', async () => {
  // As if an agent before the vault added it.
  vault.token = '';
  const log = createLogSink();
  const parts = { clock, createInference: createFakeInference, logDestination: log };
  const environment = { ...oneNodeOnly('its calls of the vault'), SVC_KEK: vault.url };
  const api = await startTestApi(inject('postgres'), parts, environment);
  onTestFinished(() => api.close());
  const customer = await api.customer({ country: 'DE' });
  const listId = await createList(customer);
  const enrol = async (personId: string) => {
    const { status, body } = await enrolPerson(listId, enrolBody(clock, { personId }), customer);
    return { status, detail: body.detail };
  };
  const people = async () => (await customer.request('GET', `/v1/lists/${listId}`)).body.people;
  const added = await customer.request<{ id: string; token: string }>('POST', `/v1/lists/${listId}/devices`);
  const device = { ...added.body, pair: newDeviceKey() };
  const sync = async () => (await askSync(api, device)).status;
  const readiness = async () => (await fetch(`${api.url}/readyz`)).json();
  expect([(await enrol('before')).status, await sync()]).toEqual([201, 200]);

  vault.status = 503;
  const away = { status: 503, detail: 'The key-encryption keys are not available now.' };
  expect(await enrol('during')).toEqual(away);
  expect(await readiness()).toMatchObject({ ...away, code: 'not-ready' });
  expect((await customer.request('POST', '/v1/lists', { name: 'Other', ongoing: true })).status).toBe(503);
  expect(await people()).toBe(1);
  expect(log.text).toMatch(/"code":"http-503"[\s\S]*"lack":"key-encryption"/);

  vault.status = 200;
  await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ status: 'ready' });
  expect([(await enrol('during')).status, await sync(), await people()]).toEqual([201, 200, 2]);

  vault.status = 503;
  await expect(startApi(api.config, parts)).rejects.toMatchObject({ message: 'the vault answers 503' });
});
