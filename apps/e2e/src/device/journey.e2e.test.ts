import diagnostics from 'node:diagnostics_channel';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { encodeFloat16 } from '@svc/core';
import type { CheckInDevice, Prompt } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import type { AddedDevice } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryOf, templateCanaries } from '../enrolment/canaries.ts';
import { guests, photoOf, ticketOf } from '../support/guests.ts';
import type { Filmed } from '../support/page-camera.ts';
import { cameraOf } from '../support/scenarios.ts';
import { type Service, startService } from '../support/service.ts';
import { isSync, type Recorder, startRecorder, strayRequests } from '../wire/recorder.ts';

const timeout = 300_000;

let service: Service;
/** The passive check, if the public test data is there; otherwise staff supervision is declared. */
const addOn = await temporaryAddOn();
if (addOn === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
const node = await openEngine(withMiniFasNet(addOn?.directory ?? null));
/** The device's folder. */
const directory = await mkdtemp(join(tmpdir(), 'svc-door-'));
let recorder: Recorder;
/** Where this process's `fetch` went: the device's, and that of the organiser's server. */
const origins = new Set<string>();
diagnostics.subscribe('undici:request:create', (message) => {
  origins.add(String((message as { request: { origin: string } }).request.origin));
});
let listId: string;
let added: AddedDevice;
let device: CheckInDevice;
let template: Float32Array;
const deviceTokens: string[] = [];

/** A device behind the recorder, in the folder; the same token gives the same device. */
const open = (deviceToken: string) =>
  createNodeCheckInDevice({
    ...{ deviceToken, directory, region: { ...service.region, baseUrl: recorder.url }, engine: node },
    ...(addOn === null ? { passiveLiveness: 'absent-staff-in-view' } : {}),
  });

/** The paths of all files of the device. */
async function filesOf(): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function addDevice(): Promise<AddedDevice> {
  const made = await service.addDevice(listId);
  deviceTokens.push(made.token);
  return made;
}

beforeAll(async () => {
  service = await startService();
  recorder = await startRecorder(service.url);
  listId = await service.createList();
  for (const guest of ['anna', 'ben'] as const)
    expect((await service.enrol(listId, ticketOf(guest), await photoOf(guest))).status).toBe(201);
  added = await addDevice();
  device = await open(added.token);
}, timeout);

afterAll(async () => {
  await device.dispose();
  await recorder.close();
  await service.close();
  node.close();
  await addOn?.remove();
  await rm(directory, { recursive: true, force: true });
}, timeout);

/** An attempt by a rendered visitor at four frames a second. */
async function visit(scannedId: string, visitor: Filmed, at = device) {
  const prompts: string[] = [];
  const camera = cameraOf(visitor, 4);
  const prompt = (shown: Prompt) => {
    prompts.push(shown.key);
    camera.prompt(shown);
  };
  const result = await at.verifyLiveAsync(scannedId, { ...camera, prompt });
  return { ...result, prompts };
}

// In order: the life of a device from its first start to its end.
describe('a device in its folder, a service over HTTP, rendered people before the camera', { timeout }, () => {
  it('syncs two people, and lets in the right person who turns as asked', async () => {
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    const { outcome, reason, prompts, protections } = await visit(ticketOf('anna'), { seed: guests.anna });
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(protections).toMatchObject({
      ...{ passive: addOn === null ? 'absent-staff-in-view' : 'minifasnet', active: 'head-turn', light: 'off' },
    });
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
  });

  it('keeps nothing readable in its files', async () => {
    const contents = await Promise.all((await filesOf()).map((path) => readFile(path, 'latin1')));
    const bytes = contents.join('\n');
    // Another device of the list opens the same record, which gives the bytes to search for.
    template = await service.templateOf(listId, ticketOf('anna'));
    const shapes = [encodeFloat16(template), new Uint8Array(template.buffer)].map((shape) =>
      Buffer.from(shape).toString('latin1'),
    );
    for (const secret of [ticketOf('anna'), ticketOf('ben'), added.token, ...shapes]) {
      expect(bytes.includes(secret)).toBe(false);
      expect(`${bytes}${secret}`.includes(secret)).toBe(true);
    }
  });

  it('continues after a restart, and forgets a person who was erased', async () => {
    await device.dispose();
    device = await open(added.token);
    expect(device.status()).toMatchObject({ ready: true, people: 2 });
    expect(await visit(ticketOf('ben'), { seed: guests.ben })).toMatchObject({ outcome: 'Match' });
    await service.call('DELETE', `/v1/lists/${listId}/people/${ticketOf('ben')}`);
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(await visit(ticketOf('ben'), { seed: guests.ben })).toMatchObject({ reason: 'not-on-list' });
  });

  it('wipes everything when it is revoked, including its own key', async () => {
    expect((await filesOf()).some((path) => path.endsWith('.pack'))).toBe(true);
    await service.revoke(listId, added.id);
    expect(await device.syncAsync()).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    expect(await visit(ticketOf('anna'), { seed: guests.anna })).toMatchObject({ reason: 'device-revoked' });
    expect((await filesOf()).filter((path) => /\.pack|list-keys|device-key/.test(path))).toEqual([]);
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'erased-for-good' });
  });

  it('works on without the service once it has synced', async () => {
    await device.dispose();
    device = await open((await addDevice()).token);
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 1 });
    await service.api.running.close();
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'offline' });
    expect(await visit(ticketOf('anna'), { seed: guests.anna })).toMatchObject({ outcome: 'Match' });
  });

  it('has sent nothing but syncs, without a template or an ID, and to its service alone', () => {
    const canaries = [
      ...templateCanaries('template', template),
      ...[ticketOf('anna'), ticketOf('ben'), listId].map((id) => canaryOf(id, Buffer.from(id))),
    ];
    expect(recorder.requests.filter(isSync).length).toBeGreaterThanOrEqual(4);
    expect(strayRequests(recorder.requests, { deviceTokens }, canaries)).toEqual([]);
    expect([...origins].sort()).toEqual([recorder.url, service.url].sort());
  });
});
