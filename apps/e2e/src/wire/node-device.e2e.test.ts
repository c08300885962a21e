import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verificationOutcomes } from '@svc/device-sdk';
import { HOUR_MS } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canary, canaryOf, templateCanaries } from '../enrolment/canaries.ts';
import { photoOf } from '../support/guests.ts';
import { startProgram } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';
import { headerOf, type Recorder, startRecorder, strayRequests } from './recorder.ts';
import type { WiredDevice } from './wired-device.ts';

const LIFE_MS = 300_000;
const ATTEMPTS_EACH = 2;
const personId = 'ticket-of-anna-4711';
const unknownId = 'ticket-of-nobody-0815';

describe('traffic of a device in Node', { timeout: LIFE_MS }, () => {
  let root: string;
  let service: Service;
  let recorder: Recorder;
  let life: Awaited<ReturnType<WiredDevice['reachDeadline']>>;
  let tokens: readonly string[];
  let canaries: readonly Canary[];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-wire-'));
    service = await startService();
    recorder = await startRecorder(service.url);
    const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + HOUR_MS).toISOString() };
    const { eventId } = await service.call<{ eventId: string }>('POST', '/v1/events', { name: 'Fair', ...times });
    const listId = await service.createList({ name: 'Guests', eventId, country: 'DE' });
    expect((await service.enrol(listId, personId, await photoOf('anna'))).status).toBe(201);
    const [revoked, deadline] = [await service.addDevice(listId), await service.addDevice(listId)];
    tokens = [revoked.token, deadline.token];
    canaries = [
      ...templateCanaries('template', await service.templateOf(listId, personId)),
      canaryOf('personId', Buffer.from(personId)),
      canaryOf('scanned ID', Buffer.from(unknownId)),
      canaryOf('list', Buffer.from(listId)),
    ];
    const region = { ...service.region, baseUrl: recorder.url };
    const task = { region, personId, unknownId, attemptsEach: ATTEMPTS_EACH };
    const program = startProgram<WiredDevice>(new URL('wired-device.ts', import.meta.url));
    await program.ask('serve', { ...task, deviceToken: revoked.token, directory: join(root, 'gate') });
    await service.revoke(listId, revoked.id);
    await program.ask('beWiped');
    life = await program.ask('reachDeadline', { ...task, deviceToken: deadline.token, directory: join(root, 'door') });
    await program.stop();
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

  it('is a token, a public key, a nonce, versions of list and software, and nothing else', () => {
    expect(strayRequests(recorder.requests, { deviceTokens: tokens }, canaries)).toEqual([]);
    const told = (name: string) => new Set(recorder.requests.map((request) => headerOf(request, name).join())).size;
    expect([told('svc-nonce'), told('svc-device-key')]).toEqual([4, 2]);
  });
});
