import { parsePack, recordDeleteAfterMs } from '@svc/core/pack';
import { DAY_MS, HOUR_MS, WITHHOLD_BEFORE_MS } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDevice, type VerifiedAnswer } from './device.ts';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;

beforeAll(async () => {
  service = await startTestService();
  organiser = await service.createOrganiser();
});
afterAll(() => service.close());

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

  it('makes one version for many who are due at once, however many devices ask', async () => {
    const { listId, device } = await shortList();
    for (const personId of ['a', 'b', 'c', 'd', 'e']) await organiser.enrol(listId, personId);
    const before = await device.sync();
    const devices = [device];
    for (let i = 0; i < 5; i += 1) {
      devices.push(new TestDevice(service, (await organiser.addDevice(listId)).token));
    }
    service.clock.nowMs += DAY_MS;
    const answers = await Promise.all(devices.map((one) => one.sync({ since: before.manifest.toVersion })));
    for (const { manifest } of answers) {
      expect(manifest).toMatchObject({ recordCount: 0, toVersion: before.manifest.toVersion + 5 });
    }
  });

  it('erases a withheld person without bringing the others back', async () => {
    const { listId, device } = await shortList();
    await organiser.enrol(listId, 'T-1');
    await organiser.enrol(listId, 'T-2');
    service.clock.nowMs += DAY_MS;
    const withheld = await device.sync();
    expect((await organiser.call('DELETE', `/v1/lists/${listId}/people/T-1`)).status).toBe(204);
    const after = await device.sync({ since: withheld.manifest.toVersion });
    expect(after.manifest.recordCount).toBe(0);
    expect(after.manifest.toVersion).toBeGreaterThan(withheld.manifest.toVersion);
  });
});

describe('an event’s list', () => {
  it('serves everybody until its deadline, after which it serves nobody', async () => {
    const now = service.clock.nowMs;
    const event = await organiser.call('POST', '/v1/events', {
      name: 'Match',
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + HOUR_MS).toISOString(),
    });
    const { listId } = await organiser.createList({ name: 'Guests', eventId: event.body.eventId, country: 'DE' });
    await organiser.enrol(listId, 'T-1');
    const device = new TestDevice(service, (await organiser.addDevice(listId)).token);
    service.clock.nowMs = now + HOUR_MS - 1;
    expect((await device.sync()).manifest.recordCount).toBe(1);
    service.clock.nowMs = now + HOUR_MS;
    expect((await device.sync()).manifest).toMatchObject({ command: 'wipe', reason: 'retention-deadline' });
  });
});
