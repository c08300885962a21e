import { DAY_MS, HOUR_MS } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDevice } from './device.ts';
import { p256Pair } from './hpke-open.ts';
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

const NOTHING = {
  command: 'wipe',
  fromVersion: 0,
  toVersion: 0,
  recordCount: 0,
  stateHash: '',
  epochs: [],
} as const;

describe('a device gets the wipe command', () => {
  it('when it was revoked', async () => {
    const { listId, id, device, version } = await inService();
    expect((await organiser.call('DELETE', `/v1/lists/${listId}/devices/${id}`)).status).toBe(204);
    const answer = await device.sync({ since: version });
    expect(answer.payloadKind).toBe(0);
    expect(answer.payload).toHaveLength(0);
    expect(answer.manifest).toMatchObject({ ...NOTHING, reason: 'device-revoked', listId, deviceId: id });
    // Repeated until the device has received it.
    expect((await device.sync({ since: version })).manifest.command).toBe('wipe');
  });

  it('when its list was deleted', async () => {
    const { listId, id, device } = await inService();
    expect((await organiser.call('DELETE', `/v1/lists/${listId}`)).status).toBe(204);
    const { manifest } = await device.sync();
    expect(manifest).toMatchObject({ ...NOTHING, reason: 'list-deleted', listId, deviceId: id });
  });

  it('when its list was deleted before it ever synced', async () => {
    const { listId } = await organiser.createList();
    const { token } = await organiser.addDevice(listId);
    await organiser.call('DELETE', `/v1/lists/${listId}`);
    expect((await new TestDevice(service, token).sync()).manifest.reason).toBe('list-deleted');
  });

  it('when the list’s retention deadline has passed, and no device can be added after it', async () => {
    const now = service.clock.nowMs;
    const event = await organiser.call('POST', '/v1/events', {
      name: 'Fair',
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + HOUR_MS).toISOString(),
    });
    const { listId } = await organiser.createList({ name: 'Guests', eventId: event.body.eventId, country: 'DE' });
    const device = new TestDevice(service, (await organiser.addDevice(listId)).token);
    service.clock.nowMs = now + HOUR_MS;
    expect((await device.sync()).manifest).toMatchObject({ ...NOTHING, reason: 'retention-deadline' });
    const late = await organiser.call('POST', `/v1/lists/${listId}/devices`);
    expect([late.status, late.body.code]).toEqual([409, 'list-ended']);
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

  it('only for a valid request: a wipe must be bound to a key and a nonce', async () => {
    const { listId, id, device } = await inService();
    await organiser.call('DELETE', `/v1/lists/${listId}/devices/${id}`);
    const { status, code } = await device.ask({ headers: { 'Svc-Nonce': null } });
    expect([status, code]).toEqual([400, 'nonce-invalid']);
  });
});
