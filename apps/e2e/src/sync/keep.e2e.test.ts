import { createNodeAead } from '@svc/core/aead-node';
import { deriveLookupKey, lookupTag, openCheckRecord, openRecord, type Pack, parsePack } from '@svc/core/pack';
import { collectionSchema, DAY_MS, deviceSchema, LEASE_MS } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDevice, type VerifiedAnswer } from './device.ts';
import { madeUpTemplate, type Organiser, startTestService, type TestService } from './service.ts';

const aead = createNodeAead();
let service: TestService;
let organiser: Organiser;

beforeAll(async () => {
  service = await startTestService();
  organiser = await service.createOrganiser();
});
afterAll(() => service.close());

async function newDevice(listId: string): Promise<TestDevice> {
  return new TestDevice(service, (await organiser.addDevice(listId)).token);
}

/** The person's template from the answer; null if the person is not in the pack. */
async function find(device: TestDevice, answer: VerifiedAnswer, personId: string): Promise<Float32Array | null> {
  const listKey = device.openListKey(answer);
  const pack: Pack = parsePack(answer.payload);
  const [epoch] = pack.epochs;
  const record = epoch?.find(lookupTag(deriveLookupKey(listKey), personId)) ?? null;
  if (epoch === undefined || record === null) return null;
  const { listId } = answer.manifest;
  return openRecord(aead, { listKey, listId, personId, record, ...epoch });
}

describe('a device in service', () => {
  it('gets a signed copy of its list and finds the scanned person', async () => {
    const { listId } = await organiser.createList();
    expect((await organiser.enrol(listId, 'T-1')).status).toBe(201);
    expect((await organiser.enrol(listId, 'T-2')).status).toBe(201);
    const device = await newDevice(listId);
    const answer = await device.sync();
    const { manifest, payloadKind, payload } = answer;
    expect(payloadKind).toBe(1);
    expect(manifest).toMatchObject({
      format: 1,
      command: 'keep',
      listId,
      fromVersion: 0,
      recordCount: 2,
      retentionDeadline: null,
      enrollmentClosed: false,
      issuedAt: new Date(service.clock.nowMs).toISOString(),
      leaseExpiresAt: new Date(service.clock.nowMs + LEASE_MS).toISOString(),
    });
    expect(manifest.epochs).toMatchObject([{ epoch: 1, engineId: service.engineId, dimension: service.dimension }]);

    const pack = parsePack(payload);
    expect(pack).toMatchObject({ listId, listVersion: manifest.toVersion, recordCount: 2 });
    expect(Buffer.from(pack.stateHash()).toString('base64url')).toBe(manifest.stateHash);
    const listKey = device.openListKey(answer);
    const [epoch] = pack.epochs;
    if (epoch === undefined) throw new Error('no epoch');
    await openCheckRecord(aead, { listKey, listId, record: epoch.checkRecord, ...epoch });

    const template = await find(device, answer, 'T-1');
    const expected = madeUpTemplate('T-1', service.dimension);
    expect(template).toHaveLength(service.dimension);
    const furthest = Math.max(...expected.map((value, i) => Math.abs(value - (template?.[i] ?? Number.NaN))));
    expect(furthest).toBeLessThan(1e-3);
    expect(await find(device, answer, 'T-3')).toBeNull();
  });

  it('cannot read a person’s record under another person’s ID', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'T-1');
    const device = await newDevice(listId);
    const answer = await device.sync();
    const listKey = device.openListKey(answer);
    const [epoch] = parsePack(answer.payload).epochs;
    const record = epoch?.find(lookupTag(deriveLookupKey(listKey), 'T-1'));
    if (epoch === undefined || record === null || record === undefined) throw new Error('no record');
    await expect(openRecord(aead, { listKey, listId, personId: 'T-2', record, ...epoch })).rejects.toMatchObject({
      code: 'open-failed',
    });
  });

  it('gets only a new lease if nothing has changed', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'T-1');
    const device = await newDevice(listId);
    const first = await device.sync();
    service.clock.nowMs += 5 * 60_000;
    const second = await device.sync({ since: first.manifest.toVersion });
    expect(second.payloadKind).toBe(0);
    expect(second.payload).toHaveLength(0);
    expect(second.manifest).toMatchObject({
      command: 'keep',
      fromVersion: first.manifest.toVersion,
      toVersion: first.manifest.toVersion,
      stateHash: first.manifest.stateHash,
      recordCount: 1,
    });
    expect(Date.parse(second.manifest.issuedAt)).toBe(service.clock.nowMs);
    expect(device.openListKey(second)).toEqual(device.openListKey(first));
  });

  it('follows enrolments, replacements and erasures, each with a version of its own', async () => {
    const { listId } = await organiser.createList();
    const device = await newDevice(listId);
    const empty = await device.sync();
    expect(empty.manifest.recordCount).toBe(0);
    const versions = [empty.manifest.toVersion];
    const next = async (since: number) => {
      // A whole pack, or changes once the device's sync time is stored.
      const { manifest, payloadKind } = await device.sync({ since });
      expect(payloadKind).toBeGreaterThan(0);
      versions.push(manifest.toVersion);
      const whole = await device.sync();
      const { toVersion, stateHash } = manifest;
      expect(whole.manifest).toMatchObject({ toVersion, stateHash });
      return whole;
    };

    await organiser.enrol(listId, 'T-1', 'face one');
    const enrolled = await next(empty.manifest.toVersion);
    await organiser.enrol(listId, 'T-1', 'face two');
    const replaced = await next(enrolled.manifest.toVersion);
    expect(replaced.manifest.recordCount).toBe(1);
    expect(await find(device, replaced, 'T-1')).not.toEqual(await find(device, enrolled, 'T-1'));
    expect((await organiser.call('DELETE', `/v1/lists/${listId}/people/T-1`)).status).toBe(204);
    const erased = await next(replaced.manifest.toVersion);
    expect(erased.manifest.recordCount).toBe(0);
    expect(await find(device, erased, 'T-1')).toBeNull();
    expect(erased.manifest.stateHash).toBe(empty.manifest.stateHash);
    expect(versions).toEqual(versions.map((_, i) => (versions[0] ?? 0) + i));
  });

  it('gets the final list when enrolment closes, and continues when the list ends', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'T-1');
    const device = await newDevice(listId);
    const open = await device.sync();
    await organiser.call('POST', `/v1/lists/${listId}/close-enrollment`);
    const closed = await device.sync({ since: open.manifest.toVersion });
    expect(closed.manifest).toMatchObject({ command: 'keep', enrollmentClosed: true, recordCount: 1 });
    expect(closed.manifest.toVersion).toBe(open.manifest.toVersion + 1);
    expect(closed.manifest.stateHash).toBe(open.manifest.stateHash);
    await organiser.call('POST', `/v1/lists/${listId}/close-enrollment`);
    await organiser.call('POST', `/v1/lists/${listId}/end`);
    const ended = await device.sync({ since: closed.manifest.toVersion });
    expect(ended.manifest).toMatchObject({ command: 'keep', recordCount: 1 });
    expect(ended.manifest.toVersion).toBe(closed.manifest.toVersion + 1);
    expect(await find(device, await device.sync(), 'T-1')).not.toBeNull();
    // After a list has ended, a device at the door may still be replaced.
    const replacement = await newDevice(listId);
    expect((await replacement.sync()).manifest.command).toBe('keep');
  });

  it('gets the whole list if it claims a version that never existed', async () => {
    const { listId } = await organiser.createList();
    const device = await newDevice(listId);
    const { manifest, payloadKind } = await device.sync({ since: 999 });
    expect(payloadKind).toBe(1);
    expect(manifest.toVersion).toBeLessThan(999);
  });

  it('gets the list’s deadline, at which its token expires too', async () => {
    const now = service.clock.nowMs;
    const event = await organiser.call('POST', '/v1/events', {
      name: 'Concert',
      startsAt: new Date(now + DAY_MS).toISOString(),
      endsAt: new Date(now + 2 * DAY_MS).toISOString(),
    });
    const deadline = new Date(now + 5 * DAY_MS).toISOString();
    const { listId } = await organiser.createList({
      name: 'Guests',
      eventId: event.body.eventId,
      retainDays: 3,
      country: 'DE',
    });
    const added = await organiser.addDevice(listId, { name: 'Gate' });
    expect(added).toMatchObject({ name: 'Gate', expiresAt: deadline, lastSyncAt: null });
    const { manifest } = await new TestDevice(service, added.token).sync();
    expect(manifest.retentionDeadline).toBe(deadline);
  });

  it('gets the same records as every other device, under a key sealed to itself', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'T-1');
    const [one, two] = [await newDevice(listId), await newDevice(listId)];
    const [a, b] = [await one.sync(), await two.sync()];
    expect(a.payload.equals(b.payload)).toBe(true);
    expect(one.openListKey(a)).toEqual(two.openListKey(b));
    expect(() => two.openListKey(a)).toThrow();
    expect(() => one.openListKey({ ...a, manifest: { ...a.manifest, deviceId: b.manifest.deviceId } })).toThrow();
  });

  it('gets an answer that intermediaries may not cache, compress or sniff', async () => {
    const { listId } = await organiser.createList();
    const device = await newDevice(listId);
    const { status, headers, body } = await device.ask({ headers: { 'Accept-Encoding': 'gzip, br' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/vnd.svc.sync');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('content-length')).toBe(String(body.length));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('shows when it last synced, a second late at most', async () => {
    const { listId } = await organiser.createList();
    const device = await newDevice(listId);
    const lastSync = async () => {
      const { body } = await organiser.call('GET', `/v1/lists/${listId}/devices`);
      return collectionSchema(deviceSchema).parse(body).items[0]?.lastSyncAt;
    };
    expect(await lastSync()).toBeNull();
    await device.sync();
    await expect.poll(lastSync).not.toBeNull();
    expect(await lastSync()).toBe(new Date(service.clock.nowMs).toISOString());
  });
});
