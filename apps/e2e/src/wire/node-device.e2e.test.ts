import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verificationOutcomes } from '@svc/device-sdk';
import { engineRecipes } from '@svc/face-models';
import { HOUR_MS } from '@svc/protocol';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { type Canary, canaryOf, foundIn, pictureCanaries, templateCanaries } from '../enrolment/canaries.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { bytesOf, headerNames, headerOf, type RecordedRequest, type Recorder, startRecorder } from './recorder.ts';
import type { WiredLife, WiredTask } from './wired-device.ts';

const LIFE_MS = 300_000;
const ATTEMPTS_EACH = 2;
const personId = 'ticket-of-anna-4711';
const unknownId = 'ticket-of-nobody-0815';

/** Runs the device's program; `act` does what it asks for. */
async function runLife(task: WiredTask, act: (what: string) => Promise<void>): Promise<WiredLife> {
  const child = fork(fileURLToPath(new URL('wired-device.ts', import.meta.url)), [], {
    execArgv: ['--conditions=svc-source', '--import', 'tsx'],
  });
  let life: WiredLife | null = null;
  child.on('message', (message: { ask?: string; life?: WiredLife }) => {
    life ??= message.life ?? null;
    if (message.ask !== undefined) void act(message.ask).then(() => child.send('done'));
  });
  child.send(task);
  // Its last message may come behind its end.
  await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  if (life === null) throw new Error('the device’s process failed');
  return life;
}

describe('traffic of a device in Node', { timeout: LIFE_MS }, () => {
  let root: string;
  let service: EnrolmentService;
  let recorder: Recorder;
  let life: WiredLife;
  let tokens: readonly [string, string];
  let canaries: readonly Canary[];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-wire-'));
    service = await startEnrolmentService();
    recorder = await startRecorder(service.api.url);
    const photo = renderHead({ seed: guests.anna, width: 960, height: 720, noiseSeed: 7 });
    const event = await service.customer.request<{ eventId: string }>('POST', '/v1/events', {
      name: 'Fair',
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
    });
    const listId = await service.createList(undefined, { name: 'Guests', eventId: event.body.eventId, country: 'DE' });
    const body = enrolBody({ personId, photo: await encodeJpeg(photo) });
    expect((await service.customer.request('POST', `/v1/lists/${listId}/people`, body)).status).toBe(201);
    const add = async () =>
      (await service.customer.request<{ id: string; token: string }>('POST', `/v1/lists/${listId}/devices`)).body;
    const [revoked, deadline] = [await add(), await add()];
    tokens = [revoked.token, deadline.token];
    canaries = [
      ...templateCanaries('template', await service.templateOf(listId, personId)),
      ...pictureCanaries('photo', photo),
      canaryOf('personId', Buffer.from(personId)),
      canaryOf('scanned ID', Buffer.from(unknownId)),
      canaryOf('list', Buffer.from(listId)),
    ];
    const region = { baseUrl: recorder.url, signingKeys: [service.api.admin.region().signingKey] as const };
    const task = { region, directory: root, tokens, personId, unknownId, attemptsEach: ATTEMPTS_EACH };
    life = await runLife(task, async () => {
      await service.customer.request('DELETE', `/v1/lists/${listId}/devices/${revoked.id}`);
    });
  }, LIFE_MS);

  afterAll(async () => {
    await recorder?.close();
    await service?.close();
    await rm(root, { recursive: true, force: true });
  }, LIFE_MS);

  it('covers ten attempts with every outcome, a deadline and a wipe', () => {
    expect(Object.keys(life.outcomes).sort()).toEqual([...verificationOutcomes].sort());
    for (const outcome of verificationOutcomes)
      expect(life.outcomes[outcome], outcome).toBeGreaterThanOrEqual(ATTEMPTS_EACH);
  });

  it('is four syncs, with no other connection out of the process', () => {
    expect(recorder.requests.map(({ method, target }) => `${method} ${target.replace(/=\d+$/, '=N')}`)).toEqual(
      Array(4).fill('GET /v1/device/sync?since=N'),
    );
    const { TCPCONNECTWRAP = 0, ...others } = life.reached;
    // fetch may keep a connection or open another.
    expect(TCPCONNECTWRAP).toBeGreaterThan(0);
    expect(TCPCONNECTWRAP).toBeLessThanOrEqual(4);
    expect(others).toEqual({});
  });

  it('is a token, a public key, a nonce, versions of list and software, and fetch’s own headers', () => {
    const one = (request: RecordedRequest, name: string) => {
      const values = headerOf(request, name);
      expect(values, name).toHaveLength(1);
      return values[0] ?? '';
    };
    for (const request of recorder.requests) {
      expect(request.body).toHaveLength(0);
      // Of every sync except the first.
      const names = headerNames(request).filter((name) => name !== 'svc-sync-counter');
      expect([...names].sort()).toEqual([
        'accept',
        'accept-encoding',
        'accept-language',
        'authorization',
        'cache-control',
        'connection',
        'host',
        'pragma',
        'sec-fetch-mode',
        'svc-device-key',
        'svc-engines',
        'svc-nonce',
        'svc-sdk-version',
        'user-agent',
      ]);
      expect(tokens.map((token) => `Bearer ${token}`)).toContain(one(request, 'Authorization'));
      expect(Buffer.from(one(request, 'Svc-Device-Key'), 'base64url')).toHaveLength(65);
      expect(Buffer.from(one(request, 'Svc-Nonce'), 'base64url')).toHaveLength(16);
      expect(one(request, 'Svc-Sdk-Version')).toMatch(/^\d+\.\d+\.\d+$/);
      expect(engineRecipes.map(({ engineId }) => engineId)).toEqual(
        expect.arrayContaining(one(request, 'Svc-Engines').split(', ')),
      );
      expect(one(request, 'Accept')).toBe('application/vnd.svc.sync');
      expect(one(request, 'User-Agent')).toBe('node');
    }
    expect(new Set(recorder.requests.map((request) => one(request, 'Svc-Nonce'))).size).toBe(4);
    expect(new Set(recorder.requests.map((request) => one(request, 'Svc-Device-Key'))).size).toBe(2);
  });

  it('holds no face, no name and no scanned ID; a planted template is found', () => {
    for (const request of recorder.requests) expect(foundIn(bytesOf(request), canaries)).toEqual([]);
    const [first] = recorder.requests;
    if (first === undefined) throw new Error('nothing was recorded');
    for (const { name, needles } of canaries) {
      for (const body of needles) expect(foundIn(bytesOf({ ...first, body }), canaries)).toContain(name);
    }
  });
});
