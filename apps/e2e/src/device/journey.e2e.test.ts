import { renderedCamera, type Visitor } from '@svc/benchmarks/inputs/rendered-camera';
import { encodeFloat16 } from '@svc/core';
import type { CheckInDevice, Prompt, Region, VerificationOutcome } from '@svc/device-sdk';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { type Doorway, openDoorway } from './door.ts';

const WHOLE_JOURNEY_MS = 300_000;

let service: EnrolmentService;
let doorway: Doorway;
let region: Region;
let listId: string;
let added: { readonly id: string; readonly token: string };
let device: CheckInDevice;

beforeAll(async () => {
  service = await startEnrolmentService();
  doorway = await openDoorway();
  region = { baseUrl: service.api.url, signingKeys: [service.api.admin.region().signingKey] };
  listId = await service.createList();
  for (const name of ['anna', 'ben'] as const) {
    const photo = await encodeJpeg(renderHead({ seed: guests[name], width: 960, height: 720, noiseSeed: 7 }));
    const answer = await service.customer.request(
      'POST',
      `/v1/lists/${listId}/people`,
      enrolBody({ personId: `ticket-of-${name}`, photo }),
    );
    expect(answer.status).toBe(201);
  }
  added = (await service.customer.request<typeof added>('POST', `/v1/lists/${listId}/devices`)).body;
  device = await doorway.openDevice(added.token, region, 'gate');
}, WHOLE_JOURNEY_MS);

afterAll(async () => {
  await device.dispose();
  await doorway.close();
  await service.close();
}, WHOLE_JOURNEY_MS);

/** An attempt by a rendered visitor at four frames a second. */
async function visit(scannedId: string, visitor: Visitor, at = device) {
  const prompts: Prompt[] = [];
  const camera = renderedCamera(visitor, { fps: 4 });
  const prompt = (shown: Prompt) => {
    prompts.push(shown);
    camera.prompt(shown);
  };
  const result = await at.verifyLiveAsync(scannedId, { ...camera, prompt });
  return { ...result, prompts: prompts.map(({ key }) => key) };
}

// In order: the life of a device from its first start to its end.
describe('a device in its folder, a service over HTTP, rendered people before the camera', {
  timeout: WHOLE_JOURNEY_MS,
}, () => {
  it('refuses everybody before its first sync', async () => {
    expect(await visit('ticket-of-anna', { seed: guests.anna })).toMatchObject({
      outcome: 'LeaseExpired',
      reason: 'never-synced',
    });
  });

  it('syncs two people', async () => {
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    expect(device.status()).toMatchObject({ ready: true, engineMismatch: false });
  });

  it('lets in the right person who turns as asked', async () => {
    const { outcome, reason, prompts, protections, timings, counts } = await visit('ticket-of-anna', {
      seed: guests.anna,
    });
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(protections).toMatchObject({
      passive: doorway.passive ? 'minifasnet' : 'absent-staff-in-view',
      active: 'head-turn',
      light: 'off',
    });
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    expect(timings.attemptMs).toBeLessThan(10_000);
    expect(counts.embeddings).toBeGreaterThanOrEqual(3);
    expect(counts.embeddings).toBeLessThanOrEqual(8);
    expect(counts.detections).toBeLessThan(counts.framesAnalysed);
  });

  it.each<[string, string, Visitor, readonly VerificationOutcome[]]>([
    ['somebody else with the ticket', 'ticket-of-anna', { seed: guests.ben }, ['NoMatch']],
    ['a stranger', 'ticket-of-ben', { seed: guests.stranger }, ['NoMatch']],
    [
      'the right person turning the wrong way',
      'ticket-of-anna',
      { seed: guests.anna, turns: 'wrong-way' },
      ['ChallengeFailed'],
    ],
    [
      'somebody else who makes the turn in the right person’s place',
      'ticket-of-anna',
      { seed: guests.anna, swapped: { seed: guests.ben, beyondDeg: 5 } },
      ['ChallengeFailed'],
    ],
    [
      'a flat print of the right person',
      'ticket-of-anna',
      { seed: guests.anna, kind: 'print' },
      ['LivenessFailed', 'ChallengeFailed'],
    ],
    ['an empty chair', 'ticket-of-anna', { seed: guests.anna, kind: 'nobody' }, ['NoFace']],
    ['a ticket nobody enrolled', 'ticket-of-nobody', { seed: guests.anna }, ['NotEnrolled']],
  ])('does not let in %s', async (_who, scannedId, visitor, outcomes) => {
    expect(outcomes).toContain((await visit(scannedId, visitor)).outcome);
  });

  it('pauses while another person stands beside the guest, and lets nobody in then', async () => {
    const companion = { seed: guests.ben, fromMs: 0 };
    const { outcome, reason, prompts } = await visit('ticket-of-anna', { seed: guests.anna, companion });
    expect(prompts).toContain('one-person-only');
    expect(`${outcome}/${reason}`).toBe('NoMatch/several-faces');
  });

  it('stops a flat print by its lack of depth alone, if staff watch instead of a model', async () => {
    const { body } = await service.customer.request<typeof added>('POST', `/v1/lists/${listId}/devices`);
    const watched = await doorway.openDevice(body.token, region, 'watched gate', true);
    await watched.syncAsync();
    const print = await visit('ticket-of-anna', { seed: guests.anna, kind: 'print' }, watched);
    const live = await visit('ticket-of-anna', { seed: guests.anna }, watched);
    await watched.dispose();
    expect(print.outcome).toBe('ChallengeFailed');
    expect(live.outcome).toBe('Match');
    for (const { protections } of [print, live]) expect(protections.passive).toBe('absent-staff-in-view');
  });

  it('keeps nothing readable in its files', async () => {
    const bytes = await doorway.bytesOf('gate');
    // Another device of the list opens the same record, which gives the bytes to search for.
    const template = await service.templateOf(listId, 'ticket-of-anna');
    const shapes = [encodeFloat16(template), new Uint8Array(template.buffer)].map((shape) =>
      Buffer.from(shape).toString('latin1'),
    );
    for (const secret of ['ticket-of-anna', 'ticket-of-ben', added.token, ...shapes]) {
      expect(bytes.includes(secret)).toBe(false);
      expect(`${bytes}${secret}`.includes(secret)).toBe(true);
    }
  });

  it('continues after a restart', async () => {
    await device.dispose();
    device = await doorway.openDevice(added.token, region, 'gate');
    expect(device.status()).toMatchObject({ ready: true, people: 2 });
    expect(await visit('ticket-of-ben', { seed: guests.ben })).toMatchObject({ outcome: 'Match' });
  });

  it('forgets a person who was erased', async () => {
    await service.customer.request('DELETE', `/v1/lists/${listId}/people/ticket-of-ben`);
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(await visit('ticket-of-ben', { seed: guests.ben })).toMatchObject({
      outcome: 'NotEnrolled',
      reason: 'not-on-list',
    });
  });

  it('wipes everything when it is revoked, including its own key', async () => {
    expect((await doorway.filesOf('gate')).some((path) => path.endsWith('.pack'))).toBe(true);
    await service.customer.request('DELETE', `/v1/lists/${listId}/devices/${added.id}`);
    expect(await device.syncAsync()).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    expect(await visit('ticket-of-anna', { seed: guests.anna })).toMatchObject({
      outcome: 'LeaseExpired',
      reason: 'device-revoked',
    });
    const left = (await doorway.filesOf('gate')).filter((path) => /\.pack|list-keys|device-key/.test(path));
    expect(left).toEqual([]);
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'erased-for-good' });
  });

  it('works on without the service once it has synced', async () => {
    const again = (await service.customer.request<typeof added>('POST', `/v1/lists/${listId}/devices`)).body;
    await device.dispose();
    device = await doorway.openDevice(again.token, region, 'gate');
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 1 });
    await service.api.running.close();
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'offline' });
    expect(await visit('ticket-of-anna', { seed: guests.anna })).toMatchObject({ outcome: 'Match' });
  });
});
