import { checkInSecretSealInfo } from '@svc/core/pack';
import { type DeviceResource, type ListResource, MINUTE_MS } from '@svc/protocol';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { addDevice, askSync, openSealed, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { useApi } from '../../testing/use-api.ts';
import { widgetSettings } from '../../testing/widget-fixture.ts';

const { api, customer, clock } = useApi({
  environment: { SVC_CHECK_IN_ORIGINS: 'https://door.example, http://localhost:4000' },
});

const url = 'https://door.example/check-ins?hall=1';
/** Name of the tests' account. */
const organiser = 'Test';

const create = (request: object = {}) =>
  customer.request<ListResource & { readonly code?: string }>('POST', '/v1/lists', {
    name: 'Members',
    ongoing: true,
    ...request,
  });
const newList = async (request: object = {}) => (await create(request)).body.listId;
const change = (listId: string, changes: object) =>
  customer.request<ListResource & { readonly code?: string }>('PATCH', `/v1/lists/${listId}`, changes);

const newDevice = (listId: string, request: object = {}) => addDevice(customer, listId, request);
const able = { 'Svc-Attendances': 'staffed, unattended' };
const manifestFor = async (device: TestDevice, since = 0, told: Readonly<Record<string, string>> = able) =>
  (await syncOf(api, device, since, told)).manifest;

/** The secret of a manifest, as webhooks' secrets are written. */
async function secretIn(device: TestDevice, manifest: Awaited<ReturnType<typeof manifestFor>>): Promise<string> {
  const info = checkInSecretSealInfo({ listId: manifest.listId, deviceId: device.id });
  const opened = await openSealed(device, manifest.checkIn?.sealedSecret, info);
  return `whsec_${Buffer.from(opened).toString('base64')}`;
}

const rotate = async (listId: string) =>
  (await customer.request<{ secret: string }>('POST', `/v1/lists/${listId}/rotate-check-in-secret`)).body.secret;

describe('names in a sync', () => {
  it('are those of account, event, list and device, also once they are corrected, without another version of the list', async () => {
    const { body: event } = await customer.request<{ eventId: string }>('POST', '/v1/events', {
      name: 'Concrt',
      startsAt: new Date(Date.now() + 1_000).toISOString(),
      endsAt: new Date(Date.now() + 9_000_000).toISOString(),
    });
    const request = { name: 'Gusts', eventId: event.eventId };
    const { body } = await customer.request<ListResource>('POST', '/v1/lists', request);
    const device = await newDevice(body.listId, { name: 'Nort' });
    const first = await manifestFor(device);
    expect(first.names).toEqual({ organiser, event: 'Concrt', list: 'Gusts', device: 'Nort', logo: null });
    await customer.request('PATCH', `/v1/events/${event.eventId}`, { name: 'Concert' });
    expect((await change(body.listId, { name: 'Guests' })).body).toEqual({ ...body, name: 'Guests', devices: 1 });
    await customer.request('PATCH', `/v1/lists/${body.listId}/devices/${device.id}`, { name: 'North' });
    const second = await manifestFor(device, first.toVersion);
    expect(second.names).toEqual({ organiser, event: 'Concert', list: 'Guests', device: 'North' });
    expect(second.toVersion).toBe(first.toVersion);
    const brandWith = (brand: object | null) =>
      customer.request('POST', `/v1/events/${event.eventId}/widget`, { ...widgetSettings, brand });
    const image = sharp({ create: { width: 48, height: 16, channels: 3, background: '#c02060' } });
    const logo = { imageBase64: (await image.png().toBuffer()).toString('base64') };
    // As is told twice: only another logo is a new version.
    for (const brand of [null, { logo }, { logo }]) await brandWith(brand);
    const third = await manifestFor(device, first.toVersion);
    expect(third).toMatchObject({
      toVersion: first.toVersion + 1,
      names: { logo: expect.stringMatching(/^iVBORw0KGgo/) },
    });
    expect((await manifestFor(device, third.toVersion)).names).toEqual(second.names);
    for (const brand of [null, null]) await brandWith(brand);
    const last = await manifestFor(device, third.toVersion);
    expect(last).toMatchObject({ toVersion: third.toVersion + 1, names: { ...second.names, logo: null } });
  });

  it('are without an event on an ongoing list, and the end of its id for a device without a name', async () => {
    const device = await newDevice(await newList());
    const names = { organiser, event: null, list: 'Members', device: device.id.slice(-6), logo: null };
    expect((await manifestFor(device)).names).toEqual(names);
  });
});

describe('a device', () => {
  const read = (listId: string, id: string) =>
    customer.request<DeviceResource>('GET', `/v1/lists/${listId}/devices/${id}`);
  const rename = (listId: string, id: string, changes: object) =>
    customer.request('PATCH', `/v1/lists/${listId}/devices/${id}`, changes);

  it('is read and renamed, in the audit log once', async () => {
    const listId = await newList();
    const { id } = await newDevice(listId, { name: 'Nort' });
    const before = (await read(listId, id)).body;
    expect(before).toMatchObject({ id, name: 'Nort', lastSyncAt: null });
    for (const changes of [{}, { name: 'North' }, { name: 'North' }]) {
      expect((await rename(listId, id, changes)).status).toBe(200);
    }
    expect((await read(listId, id)).body).toEqual({ ...before, name: 'North' });
    const log = await customer.request<{ items: { action: string; target: string }[] }>('GET', '/v1/audit-log');
    expect(log.body.items.filter(({ action }) => action === 'device.update')).toMatchObject([{ target: id }]);
  });

  it('is not found under another list, or once it was revoked', async () => {
    const [listId, other] = [await newList(), await newList()];
    const { id } = await newDevice(listId);
    expect([(await read(other, id)).status, (await rename(other, id, { name: 'X' })).status]).toEqual([404, 404]);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${id}`);
    expect([(await read(listId, id)).status, (await rename(listId, id, { name: 'X' })).status]).toEqual([404, 404]);
  });
});

describe('what a list’s devices do', () => {
  it.each([
    ['reEntry', 'off', 'refuse'],
    ['headTurnAlternative', 'none', 'light'],
    ['attendance', 'staffed', 'unattended'],
  ] as const)('by %s is %s, changes with the next sync, and is in the audit log once', async (name, none, other) => {
    const { body } = await create();
    const device = await newDevice(body.listId);
    expect([body[name], (await manifestFor(device))[name]]).toEqual([none, none]);
    for (const changes of [{ [name]: none }, { [name]: other }, { [name]: other }, {}]) {
      expect((await change(body.listId, changes)).body[name]).toBe(changes[name] ?? other);
    }
    expect((await manifestFor(device))[name]).toBe(other);
    expect((await create({ [name]: other })).body[name]).toBe(other);
    const log = await customer.request<{ items: { action: string; target: string }[] }>('GET', '/v1/audit-log');
    expect(log.body.items.filter(({ action }) => action === 'list.update')).toMatchObject([{ target: body.listId }]);
  });
});

describe('an unattended list', () => {
  const unable = { 'Svc-Attendances': 'staffed' };

  it('is given to those devices alone that say that they can serve it, and to all again once staff watch', async () => {
    const listId = await newList();
    const [older, unsuited, suited] = [await newDevice(listId), await newDevice(listId), await newDevice(listId)];
    const told = [
      [older, {}],
      [unsuited, unable],
      [suited, able],
    ] as const;
    const states = () =>
      Promise.all(
        told.map(async ([{ id }]) => {
          const { body } = await customer.request<DeviceResource>('GET', `/v1/lists/${listId}/devices/${id}`);
          return [body.state, body.pack?.people ?? null, body.attendances?.length];
        }),
      );
    const served = [0, 1, 2].map((attendances) => ['fresh', 0, attendances]);
    for (const [device, words] of told) expect((await manifestFor(device, 0, words)).command).toBe('keep');
    await expect.poll(states).toEqual(served);
    await change(listId, { attendance: 'unattended' });
    for (const words of [{}, { 'Svc-Attendances': 'Unattended' }]) {
      const refused = await askSync(api, older, 1, words);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({ code: 'device-unsuited' });
    }
    expect(await manifestFor(unsuited, 1, unable)).toMatchObject({ command: 'wipe', reason: 'unattended-unsupported' });
    expect(await manifestFor(suited, 1)).toMatchObject({ command: 'keep', attendance: 'unattended' });
    // The older one holds its copy until its lease ends; the told one has erased it.
    await expect.poll(states).toEqual([['unsuited', 0, 0], ['unsuited', null, 1], served[2]]);
    await change(listId, { attendance: 'staffed' });
    clock.advance(MINUTE_MS);
    for (const [device, words] of told) expect((await manifestFor(device, 0, words)).command).toBe('keep');
    await expect.poll(states).toEqual(served);
  });

  it('has nobody who confirms in place of the turn, in whichever order it is asked for', async () => {
    const contradiction = { attendance: 'unattended', headTurnAlternative: 'staff' };
    const refused = { status: 400, body: { code: 'invalid-request' } };
    expect(await create(contradiction)).toMatchObject(refused);
    for (const first of ['attendance', 'headTurnAlternative'] as const) {
      const { body } = await create({ [first]: contradiction[first] });
      expect(await change(body.listId, { ...contradiction, [first]: undefined, name: 'Other' })).toMatchObject(refused);
      expect((await customer.request('GET', `/v1/lists/${body.listId}`)).body).toMatchObject(body);
    }
    const { body } = await create({ headTurnAlternative: 'staff' });
    const both = { attendance: 'unattended', headTurnAlternative: 'light' };
    expect((await change(body.listId, both)).body).toMatchObject(both);
  });
});

describe('where devices send check-ins', () => {
  it('is nowhere until there are an address and a secret', async () => {
    const { body } = await create();
    expect(body).toMatchObject({ checkInUrl: null, checkInSecretAt: null });
    const device = await newDevice(body.listId);
    expect((await manifestFor(device)).checkIn).toBeUndefined();
    expect((await change(body.listId, { checkInUrl: url })).body.checkInUrl).toBe(url);
    expect((await manifestFor(device)).checkIn).toBeUndefined();
    const secret = await rotate(body.listId);
    const manifest = await manifestFor(device);
    expect(manifest.checkIn?.url).toBe(url);
    expect(await secretIn(device, manifest)).toBe(secret);
    const { body: read } = await customer.request<ListResource>('GET', `/v1/lists/${body.listId}`);
    expect(Date.parse(read.checkInSecretAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.stringify(read)).not.toContain(secret.slice(6));
    expect((await change(body.listId, { checkInUrl: null })).body.checkInUrl).toBe(null);
    expect((await manifestFor(device)).checkIn).toBeUndefined();
  });

  it('has another secret once it was rotated, each device its own sealed form of it', async () => {
    const listId = await newList({ checkInUrl: url });
    const [one, two] = [await newDevice(listId), await newDevice(listId)];
    const former = await rotate(listId);
    expect(await secretIn(one, await manifestFor(one))).toBe(former);
    const secret = await rotate(listId);
    expect(secret).not.toBe(former);
    expect(await secretIn(one, await manifestFor(one))).toBe(secret);
    const manifest = await manifestFor(two);
    expect(await secretIn(two, manifest)).toBe(secret);
    await expect(secretIn(one, manifest)).rejects.toThrow();
  });

  it.each([
    ['https://door.example/', 201, undefined],
    ['http://localhost:4000/a', 201, undefined],
    ['https://door.example:8443/', 409, 'check-in-origin-not-allowed'],
    ['https://other.example/', 409, 'check-in-origin-not-allowed'],
    ['https://door.example.evil.example/', 409, 'check-in-origin-not-allowed'],
    ['http://localhost:4001/', 409, 'check-in-origin-not-allowed'],
    ['https://door.example%/', 400, 'invalid-request'],
  ])('may be %s: %i', async (checkInUrl, status, code) => {
    const made = await create({ checkInUrl });
    expect([made.status, made.body.code]).toEqual([status, code]);
    if (code === undefined) return;
    const listId = await newList({ checkInUrl: url });
    const changed = await change(listId, { checkInUrl, name: 'Other' });
    expect([changed.status, changed.body.code]).toEqual([status, code]);
    const { body } = await customer.request<ListResource>('GET', `/v1/lists/${listId}`);
    expect(body).toMatchObject({ checkInUrl: url, name: 'Members' });
  });
});
