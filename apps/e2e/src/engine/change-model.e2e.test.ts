import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropEmptyEpochs, requestJson } from '@svc/api/testing';
import { type TemporaryAddOn, temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import { renderedCamera, type Visitor } from '@svc/benchmarks/inputs/rendered-camera';
import type { CheckInDevice } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { engineRecipes } from '@svc/face-models';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';

const [retail, dlib] = engineRecipes;
const timeout = 300_000;
const addOn: TemporaryAddOn | null = await temporaryAddOn([retail.model]);
if (addOn === null) process.stdout.write('skipped: no ../shared (a list that changes its model)\n');

type Name = 'anna' | 'ben' | 'chloe';
const photoOf = async (name: Name): Promise<Buffer> =>
  Buffer.from(await encodeJpeg(renderHead({ seed: guests[name], width: 640, height: 480, noiseSeed: 7 })));

interface ModelCount {
  readonly modelId: string;
  readonly engineId: string;
  readonly people: number;
}

/** An event's list while its guests move from the built-in model to the add-on, and a device that has both. */
describe.skipIf(addOn === null)('a list that changes its model', { timeout }, () => {
  let service: EnrolmentService;
  let root: string;
  let listId: string;
  let device: CheckInDevice;
  let builtInOnly: CheckInDevice;
  const cleanUp: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-change-model-'));
    cleanUp.push(() => rm(root, { recursive: true, force: true }));
    service = await startEnrolmentService({ SVC_MODELS_DIR: addOn?.directory ?? '' });
    cleanUp.push(() => service.close());
    const { customer } = service;
    const hour = 3_600_000;
    const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + 48 * hour).toISOString() };
    const { eventId } = (
      await customer.request<{ eventId: string }>('POST', '/v1/events', { name: 'Concert', ...times })
    ).body;
    const settings = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://organiser.example/privacy' };
    await customer.request('POST', `/v1/events/${eventId}/widget`, settings);
    listId = await service.createList(customer, { name: 'Concert', eventId });
    await changeModel(dlib.modelId);
    await enrol('anna');
    await enrol('ben');
    device = await deviceOf('both', addOn?.directory ?? null);
    builtInOnly = await deviceOf('built-in', null);
  }, timeout);

  afterAll(async () => {
    for (const action of cleanUp.reverse()) await action();
    await addOn?.remove();
  }, timeout);

  async function changeModel(modelId: string): Promise<void> {
    const { status } = await service.customer.request('POST', `/v1/lists/${listId}/change-model`, { modelId });
    if (status !== 200) throw new Error(`the model was not changed: ${status}`);
  }

  async function enrol(name: Name): Promise<string> {
    const body = enrolBody({ personId: name, photo: await photoOf(name) });
    const answer = await service.customer.request<{ modelId: string }>('POST', `/v1/lists/${listId}/people`, body);
    if (answer.status !== 201) throw new Error(`not enrolled: ${answer.status}`);
    return answer.body.modelId;
  }

  async function models(): Promise<readonly ModelCount[]> {
    return (await service.customer.request<{ models: ModelCount[] }>('GET', `/v1/lists/${listId}`)).body.models;
  }

  async function peopleOf(modelId: string): Promise<readonly string[]> {
    const path = `/v1/lists/${listId}/people?modelId=${modelId}`;
    const { items } = (await service.customer.request<{ items: { personId: string }[] }>('GET', path)).body;
    return items.map(({ personId }) => personId).sort();
  }

  async function deviceOf(folder: string, addOnDirectory: string | null): Promise<CheckInDevice> {
    const added = await service.customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`);
    const made = await createNodeCheckInDevice({
      deviceToken: added.body.token,
      region: { baseUrl: service.api.url, signingKeys: [service.api.admin.region().signingKey] },
      directory: join(root, folder),
      addOnDirectory,
      passiveLiveness: 'absent-staff-in-view',
    });
    cleanUp.push(() => made.dispose());
    expect(await made.syncAsync()).toMatchObject({ ok: true });
    return made;
  }

  async function visit(door: CheckInDevice, scannedId: string, visitor: Visitor): Promise<string> {
    const { outcome, reason } = await door.verifyLiveAsync(scannedId, renderedCamera(visitor, { fps: 4 }));
    return `${outcome}/${reason}`;
  }

  /** The requests of the guest's page for a link. */
  async function enrolByLink(url: string, name: Name): Promise<number> {
    const token = new URL(url).hash.slice(1);
    const send = <T>(method: string, path: string, body?: object) =>
      requestJson<T>(`${service.api.url}/v1/widget/${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': name },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    interface Session {
      readonly consentVersion: string;
      readonly language: string;
      readonly wordingSha256: string;
    }
    const { consentVersion, language, wordingSha256 } = (await send<Session>('GET', 'session')).body;
    const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
    const imageBase64 = (await photoOf(name)).toString('base64');
    return (await send('POST', 'enrolments', { consent, language, wordingSha256, imageBase64 })).status;
  }

  it('verifies everybody with the built-in model at first', async () => {
    expect(await models()).toEqual([{ modelId: dlib.modelId, engineId: dlib.engineId, people: 2 }]);
    expect(await visit(device, 'anna', { seed: guests.anna })).toBe('Match/verified');
    expect(await visit(builtInOnly, 'ben', { seed: guests.ben })).toBe('Match/verified');
  });

  it('moves a guest by a link without a photo on file, and serves both models side by side', async () => {
    await changeModel(retail.modelId);
    expect(await enrol('chloe')).toBe(retail.modelId);
    const links = await service.customer.request<{ items: { personId: string; url: string }[]; remaining: number }>(
      'POST',
      `/v1/lists/${listId}/enrolment-links`,
      { validForHours: 2 },
    );
    expect(links.status).toBe(201);
    expect(links.body.remaining).toBe(0);
    expect(links.body.items.map(({ personId }) => personId).sort()).toEqual(['anna', 'ben']);
    const forBen = links.body.items.find(({ personId }) => personId === 'ben');
    expect(await enrolByLink(forBen?.url ?? '', 'ben')).toBe(201);
    expect(await peopleOf(dlib.modelId)).toEqual(['anna']);
    expect(await peopleOf(retail.modelId)).toEqual(['ben', 'chloe']);
    expect(await models()).toEqual(
      expect.arrayContaining([
        { modelId: retail.modelId, engineId: retail.engineId, people: 2 },
        { modelId: dlib.modelId, engineId: dlib.engineId, people: 1 },
      ]),
    );
  });

  it('lets in people of both models at one door, and nobody with another person’s ticket', async () => {
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    expect(await visit(device, 'anna', { seed: guests.anna })).toBe('Match/verified');
    expect(await visit(device, 'ben', { seed: guests.ben })).toBe('Match/verified');
    expect(await visit(device, 'chloe', { seed: guests.chloe })).toBe('Match/verified');
    expect(await visit(device, 'chloe', { seed: guests.ben })).toMatch(/^NoMatch/);
    expect(await visit(device, 'anna', { seed: guests.chloe })).toMatch(/^NoMatch/);
  });

  it('sends people whose model a device lacks to the standard check-in, and verifies the others', async () => {
    expect(await builtInOnly.syncAsync()).toMatchObject({ ok: true });
    expect(builtInOnly.status().engineMismatch).toBe(false);
    expect(await visit(builtInOnly, 'ben', { seed: guests.ben })).toBe('NotEnrolled/engine-mismatch');
    expect(await visit(builtInOnly, 'anna', { seed: guests.anna })).toBe('Match/verified');
  });

  it('has one model again once the last person has moved, and a device without it reports that', async () => {
    expect(await enrol('anna')).toBe(retail.modelId);
    expect(await models()).toEqual([{ modelId: retail.modelId, engineId: retail.engineId, people: 3 }]);
    await dropEmptyEpochs(service.api.config);
    for (const door of [device, builtInOnly]) expect(await door.syncAsync()).toMatchObject({ ok: true });
    expect(await visit(device, 'anna', { seed: guests.anna })).toBe('Match/verified');
    expect(builtInOnly.status().engineMismatch).toBe(true);
  });
});
