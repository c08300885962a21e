import { ServiceNode } from '@svc/api/testing';
import type { Program } from '@svc/benchmarks/inputs/program';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ticketOf } from '../support/guests.ts';
import { type Call, callerOf, createDeployment, type Deployment, enrol, recordRows } from './deployment.ts';
import type { DeviceHost } from './device-program.ts';
import { formerRelease, presentRelease, type Release } from './release.ts';

const LONG_MS = 300_000;
const MATCH = 'Match/verified';

describe.skipIf(formerRelease === null)('a deployment of the former release', () => {
  const former = formerRelease as Release;
  let deployment: Deployment;
  let node: ServiceNode;
  let call: Call;
  let hosts: { readonly former: Program<DeviceHost>; readonly present: Program<DeviceHost> };
  /** The process in which the gate is open. */
  let host: Program<DeviceHost>;
  let token: { readonly gate: string; readonly side: string };
  let listId: string;
  let region: Awaited<ReturnType<Deployment['regionOf']>>;
  let sideId: string;
  /** What the former release answered, for the present one to answer again. */
  const before: Record<string, unknown> = {};
  const keyed = { 'Idempotency-Key': 'list-of-the-other-hall' };
  const otherHall = { name: 'The other hall', ongoing: true, country: 'US' };

  async function run(release: Release): Promise<void> {
    expect(await node.stop()).toBe(0);
    node.start(release.program);
    await node.becomesReady();
  }

  const open = (name: 'gate' | 'side') =>
    host.ask('open', name, { deviceToken: token[name], region, directory: deployment.folder(name) });

  beforeAll(async () => {
    deployment = await createDeployment();
    node = await ServiceNode.create(former.program, deployment.environment);
    node.start();
    await node.becomesReady();
    call = callerOf(() => node.url, await deployment.createAccount(former));
    region = await deployment.regionOf(former, node.url);
    hosts = { former: former.hostDevices(), present: presentRelease.hostDevices() };
    host = hosts.former;
  }, LONG_MS);

  afterAll(async () => {
    await Promise.all([hosts?.former.stop(), hosts?.present.stop()]);
    await node?.kill();
    await deployment?.remove();
  }, LONG_MS);

  it('has guests, devices, tokens and a webhook', { timeout: LONG_MS }, async () => {
    const startsAt = new Date().toISOString();
    const endsAt = new Date(Date.now() + 86_400_000).toISOString();
    const { eventId } = (await call('POST', '/v1/events', { name: 'Fair', startsAt, endsAt, country: 'DE' })).body;
    listId = String((await call('POST', '/v1/lists', { name: 'Guests', eventId, country: 'DE' })).body.listId);
    const settings = { organiserName: 'Arena', privacyNoticeUrl: 'https://example.org/privacy' };
    expect((await call('POST', `/v1/events/${eventId}/widget`, settings)).status).toBe(200);
    for (const guest of ['anna', 'ben'] as const) expect(await enrol(call, listId, guest)).toBe(201);
    const add = async () => (await call<{ id: string; token: string }>('POST', `/v1/lists/${listId}/devices`)).body;
    const added = { gate: await add(), side: await add() };
    token = { gate: added.gate.token, side: added.side.token };
    sideId = added.side.id;
    for (const device of ['gate', 'side'] as const) {
      await open(device);
      expect(await host.ask('sync', device)).toMatchObject({ ok: true, people: 2 });
    }
    expect(await host.ask('visit', 'gate', 'anna')).toBe(MATCH);
    const webhook = { url: 'https://hooks.example.org/svc', eventTypes: ['person.enrolled'] };
    before.webhook = (await call('POST', '/v1/webhooks', webhook)).body.webhookId;
    const enrolment = await call('POST', `/v1/events/${eventId}/enrolment-tokens`, { ticketId: ticketOf('chloe') });
    before.guestToken = enrolment.body.token;
    before.otherHall = (await call('POST', '/v1/lists', otherHall, keyed)).body.listId;
    for (const path of [`/v1/events/${eventId}`, `/v1/lists/${listId}`, '/v1/usage', `/v1/lists/${listId}/people`])
      before[path] = (await call('GET', path)).body;
    expect(before.webhook).toBeTypeOf('string');
    await recordRows(deployment.environment.DATABASE_URL ?? '');
  });

  it('is migrated by this release, and answers what it answered before', { timeout: LONG_MS }, async () => {
    await run(presentRelease);
    for (const path of Object.keys(before).filter((name) => name.startsWith('/')))
      expect((await call('GET', path)).body, path).toMatchObject(before[path] as object);
    const list = await call('GET', `/v1/lists/${listId}`);
    expect(list.body).toMatchObject({ state: 'open', people: 2, devices: 2 });
    expect((await call('GET', `/v1/webhooks/${before.webhook}`)).status).toBe(200);
    const repeated = await call('POST', '/v1/lists', otherHall, keyed);
    expect(repeated.body.listId).toBe(before.otherHall);
    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
    const session = await fetch(`${node.url}/v1/widget/session`, {
      headers: { Authorization: `Bearer ${String(before.guestToken)}` },
    });
    expect(session.status).toBe(200);
    expect(await presentRelease.svc(deployment.environment, 'doctor')).not.toMatch(/^✗|^wrong/m);
  });

  it('serves the devices of the former release: changes, matches, erasures, a wipe', { timeout: LONG_MS }, async () => {
    expect(await enrol(call, listId, 'chloe')).toBe(201);
    expect(await host.ask('sync', 'gate')).toMatchObject({ ok: true, people: 3 });
    expect(await host.ask('visit', 'gate', 'chloe')).toBe(MATCH);
    expect(await host.ask('visit', 'gate', 'anna')).toBe(MATCH);
    expect(await host.ask('visit', 'gate', 'stranger', ticketOf('ben'))).toMatch(/^NoMatch/);
    expect((await call('DELETE', `/v1/lists/${listId}/people/${ticketOf('ben')}`)).status).toBe(204);
    expect(await host.ask('sync', 'gate')).toMatchObject({ ok: true, people: 2 });
    expect(await host.ask('visit', 'gate', 'ben')).toMatch(/^NotEnrolled/);
    expect((await call('DELETE', `/v1/lists/${listId}/devices/${sideId}`)).status).toBe(204);
    expect(await host.ask('sync', 'side')).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    await host.ask('close', 'side');
  });

  it('has a device that is updated: it keeps its identity and its list', { timeout: LONG_MS }, async () => {
    await host.ask('close', 'gate');
    host = hosts.present;
    await open('gate');
    expect(await host.ask('sync', 'gate')).toMatchObject({ ok: true, people: 2 });
    expect(await host.ask('status', 'gate')).toMatchObject({ ready: true, erased: null });
    expect(await host.ask('visit', 'gate', 'anna')).toBe(MATCH);
  });

  it('has a list that takes the present model: guests of both are let in', { timeout: LONG_MS }, async () => {
    const changed = await call('POST', `/v1/lists/${listId}/change-model`);
    expect(changed.status).toBe(200);
    expect(changed.body.modelId).not.toBe((before[`/v1/lists/${listId}`] as typeof changed.body).modelId);
    expect(await enrol(call, listId, 'chloe')).toBe(201);
    expect(await host.ask('sync', 'gate')).toMatchObject({ ok: true, people: 2 });
    for (const guest of ['anna', 'chloe'] as const) expect(await host.ask('visit', 'gate', guest)).toBe(MATCH);
    expect(await host.ask('visit', 'gate', 'stranger', ticketOf('chloe'))).toMatch(/^NoMatch/);
    await host.ask('close', 'gate');
  });
});
