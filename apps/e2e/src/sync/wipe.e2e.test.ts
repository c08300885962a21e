import { parsePack, recordDeleteAfterMs } from '@svc/core/pack';
import { DAY_MS, HOUR_MS, WITHHOLD_BEFORE_MS } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { p256Pair, TestDevice, type VerifiedAnswer } from './device.ts';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;

beforeAll(async () => {
  service = await startTestService();
  organiser = await service.createOrganiser();
});
afterAll(() => service.close());

/** A list with one person and one device that has synced. */
async function inService() {
  const { listId } = await organiser.createList();
  await organiser.enrol(listId, 'T-1');
  const { id, token } = await organiser.addDevice(listId);
  const device = new TestDevice(service, token);
  const { manifest } = await device.sync();
  return { listId, id, device, version: manifest.toVersion };
}

describe('a device gets the wipe command', () => {
  it('when its list was deleted before it ever synced', async () => {
    const { listId } = await organiser.createList();
    const { token } = await organiser.addDevice(listId);
    await organiser.call('DELETE', `/v1/lists/${listId}`);
    expect((await new TestDevice(service, token).sync()).manifest.reason).toBe('list-deleted');
  });

  it('for any key in the request: only that key can use the answer', async () => {
    const { listId, id, device } = await inService();
    await organiser.call('DELETE', `/v1/lists/${listId}/devices/${id}`);
    const pair = p256Pair();
    expect((await device.sync({ pair })).manifest.command).toBe('wipe');
  });

  it('for 400 days, after which its token is unknown', async () => {
    const { listId, id, device } = await inService();
    const deleted = await inService();
    await organiser.call('DELETE', `/v1/lists/${listId}/devices/${id}`);
    await organiser.call('DELETE', `/v1/lists/${deleted.listId}`);
    const startMs = service.clock.nowMs;
    service.clock.nowMs = startMs + 400 * DAY_MS - 1;
    expect((await device.sync()).manifest.reason).toBe('device-revoked');
    expect((await deleted.device.sync()).manifest.reason).toBe('list-deleted');
    service.clock.nowMs = startMs + 400 * DAY_MS;
    for (const { status, code } of [await device.ask(), await deleted.device.ask()]) {
      expect([status, code]).toEqual([401, 'invalid-credential']);
    }
  });

  it('in no other case: a device added to replace it is in service', async () => {
    const { listId, id, device } = await inService();
    await organiser.call('DELETE', `/v1/lists/${listId}/devices/${id}`);
    const { token } = await organiser.addDevice(listId);
    const replacement = new TestDevice(service, token);
    expect((await replacement.sync({ pair: device.pair })).manifest.command).toBe('keep');
    expect((await device.sync()).manifest.command).toBe('wipe');
  });
});

/** An ongoing list with a retention of two days: each face is served for one. */
async function shortList() {
  const { listId } = await organiser.createList({ name: 'Pool', ongoing: true, retainDays: 2, country: 'DE' });
  return { listId, device: new TestDevice(service, (await organiser.addDevice(listId)).token) };
}

/** No record of an answer may be due within a day: a device that goes offline then holds nobody too long. */
function expectNobodyDue({ manifest, payload }: VerifiedAnswer): void {
  const limit = Date.parse(manifest.issuedAt) + WITHHOLD_BEFORE_MS;
  for (const epoch of parsePack(payload).epochs) {
    for (const record of epoch.records()) expect(recordDeleteAfterMs(record)).toBeGreaterThan(limit);
  }
}

describe('an ongoing list', () => {
  it('leaves out people due within 24 hours, each with its own version', async () => {
    const { listId, device } = await shortList();
    const startMs = service.clock.nowMs;
    await organiser.enrol(listId, 'early');
    service.clock.nowMs = startMs + 12 * HOUR_MS;
    await organiser.enrol(listId, 'late');
    const both = await device.sync();
    expect(both.manifest.recordCount).toBe(2);
    expectNobodyDue(both);

    service.clock.nowMs = startMs + DAY_MS - 1;
    expect((await device.sync({ since: both.manifest.toVersion })).payloadKind).toBe(0);

    service.clock.nowMs = startMs + DAY_MS;
    const one = await device.sync({ since: both.manifest.toVersion });
    expect(one.payloadKind).toBeGreaterThan(0);
    expect(one.manifest).toMatchObject({ recordCount: 1, toVersion: both.manifest.toVersion + 1 });
    expect(one.manifest.stateHash).not.toBe(both.manifest.stateHash);
    expectNobodyDue(await device.sync());
    expect((await device.sync({ since: one.manifest.toVersion })).payloadKind).toBe(0);
    // Not deleted before their time.
    expect((await organiser.call('GET', `/v1/lists/${listId}/people/early`)).status).toBe(200);

    service.clock.nowMs = startMs + 36 * HOUR_MS;
    const none = await device.sync({ since: one.manifest.toVersion });
    expect(none.manifest).toMatchObject({ recordCount: 0, toVersion: one.manifest.toVersion + 1 });
    service.clock.nowMs = startMs + 3 * DAY_MS;
    expect((await device.sync({ since: none.manifest.toVersion })).payloadKind).toBe(0);
  });

  it('takes back a person who enrols again', async () => {
    const { listId, device } = await shortList();
    await organiser.enrol(listId, 'T-1');
    service.clock.nowMs += DAY_MS + HOUR_MS;
    const without = await device.sync();
    expect(without.manifest.recordCount).toBe(0);
    await organiser.enrol(listId, 'T-1');
    const back = await device.sync({ since: without.manifest.toVersion });
    expect(back.manifest).toMatchObject({ recordCount: 1, toVersion: without.manifest.toVersion + 1 });
    expectNobodyDue(await device.sync());
  });
});
