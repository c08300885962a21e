import { createHash } from 'node:crypto';
import { parseDelta, parsePack } from '@svc/core/pack';
import { type DeviceResource, HOUR_MS, SYNC_DUE_MS } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { createList, fillList } from '../../testing/enrolment-fixture.ts';
import { setSuspended } from '../../testing/tenant.ts';
import { addDevice, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { useApi } from '../../testing/use-api.ts';

const CACHE = 'https://packs.example';
/** Two nodes, which get the requests in turn: one makes a link, the other answers it. */
const { api, customer, clock, database } = useApi({
  environment: { SVC_TEST_NODES: '2', SVC_PAYLOADS_URL: CACHE },
});
/** Above 16 KiB. */
const PEOPLE = 100;
let listId: string;
let device: TestDevice;

const fill = (to: number, from?: number) => fillList(database, { ...customer, listId }, to, from);
const sync = (since = 0, headers: Record<string, string> = { 'Svc-Payloads': 'by-link' }, by = device) =>
  syncOf(api, by, since, headers);
const linkOf = async (since = 0) => (await sync(since)).manifest.payloadUrl ?? '';
/** Fetches as the cache does. */
const fetched = (link: string, init?: RequestInit) => fetch(link.replace(CACHE, api.url), init);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');

const deviceOf = async (by: TestDevice) =>
  (await customer.request<DeviceResource>('GET', `/v1/lists/${listId}/devices/${by.id}`)).body;
/** Syncs two other doors, one at each node: what was recorded before is written then. */
async function settled() {
  for (let node = 0; node < 2; node += 1) {
    const other = await addDevice(customer, listId);
    await sync(0, {}, other);
    await expect.poll(async () => (await deviceOf(other)).lastSyncAt, { timeout: 10_000 }).not.toBeNull();
  }
}

async function expectRefused(link: string) {
  const answer = await fetched(link);
  const { code, detail } = (await answer.json()) as Record<string, string>;
  expect([answer.status, code, detail]).toEqual([404, 'not-found', 'No such payload.']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

beforeEach(async () => {
  listId = await createList(customer);
  await fill(PEOPLE);
  device = await addDevice(customer, listId);
});

describe('a pack by link', () => {
  it('is that of the manifest, at one address for all devices, from any node and for any page', async () => {
    const [first, second] = [await sync(), await sync(0, undefined, await addDevice(customer, listId))];
    const { payloadUrl = '', payloadBytes, payloadSha256 } = first.manifest;
    expect([first.payloadKind, first.payload.length]).toEqual([1, 0]);
    expect(payloadUrl.startsWith(`${CACHE}/v1/packs/${payloadSha256}?`)).toBe(true);
    expect(second.manifest.payloadUrl).toBe(payloadUrl);
    for (let node = 0; node < 2; node += 1) {
      const answer = await fetched(payloadUrl, { headers: { Origin: 'https://kiosk.example' } });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect([answer.status, bytes.length, sha256(bytes)]).toEqual([200, payloadBytes, payloadSha256]);
      expect(parsePack(bytes).recordCount).toBe(PEOPLE);
      const [, seconds = ''] =
        /^public, max-age=(\d+), immutable$/.exec(answer.headers.get('cache-control') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThan(HOUR_MS / 1_000 - 2);
      expect(Number(seconds)).toBeLessThanOrEqual((2 * HOUR_MS) / 1_000);
      expect(answer.headers.get('content-length')).toBe(`${payloadBytes}`);
      expect([answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual(['*', null]);
    }
    const etag = `"${payloadSha256}"`;
    const head = await fetched(payloadUrl, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    const again = await fetched(payloadUrl, { headers: { 'If-None-Match': etag } });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
  });

  it('is as the same device gets it inline, and so is a delta', async () => {
    await sync();
    const synced = () => database.connection('devices').where({ device_id: device.id }).first('last_sync_at');
    // Written up to a second late; before, the device counts as one that may lack removals.
    await expect.poll(synced, { timeout: 10_000 }).toMatchObject({ last_sync_at: expect.any(Date) });
    await fill(PEOPLE + 60, PEOPLE + 1);
    for (const since of [0, PEOPLE + 1]) {
      const inline = await sync(since, {});
      expect(inline.manifest.payloadUrl).toBeUndefined();
      const linked = await sync(since);
      expect([linked.payload.length, linked.payloadKind]).toEqual([0, since === 0 ? 1 : 2]);
      expect(linked.manifest.payloadSha256).toBe(inline.manifest.payloadSha256);
      for (let node = 0; node < 2; node += 1) {
        const bytes = new Uint8Array(await (await fetched(linked.manifest.payloadUrl ?? '')).arrayBuffer());
        expect(Buffer.compare(bytes, inline.payload)).toBe(0);
        if (since > 0) expect(parseDelta(bytes).toVersion).toBe(PEOPLE + 61);
      }
    }
  });

  it('follows the manifest where it is small, and for a device whose link failed or that says anything else', async () => {
    for (const word of ['gone', 'unavailable', 'mismatch', 'by-pigeon']) {
      const { manifest, payload } = await sync(0, { 'Svc-Payloads': word });
      expect([manifest.payloadUrl, sha256(payload)]).toEqual([undefined, manifest.payloadSha256]);
    }
    listId = await createList(customer);
    await fill(40);
    const { manifest, payload } = await sync(0, undefined, await addDevice(customer, listId));
    expect([manifest.payloadUrl, payload.length]).toEqual([undefined, payload.length]);
    expect(payload.length).toBeGreaterThan(40 * 320);
  });
});

describe('a door that is sent links', () => {
  it('has synced when the payload is shown to be stored, not when its link was sent', async () => {
    // It may hold a copy from its first link on.
    const { syncCounter } = (await sync()).manifest;
    await settled();
    const before = (await deviceOf(device)).lastSyncAt;
    expect(before).not.toBeNull();
    clock.advance(SYNC_DUE_MS);
    await fill(PEOPLE + 60, PEOPLE + 1);
    const counter = (shown = 0) => ({ 'Svc-Payloads': 'by-link', 'Svc-Sync-Counter': `${shown}` });
    // Its network lets no payload through.
    await sync(PEOPLE + 1, counter(syncCounter));
    await settled();
    expect(await deviceOf(device)).toMatchObject({ lastSyncAt: before, state: 'due' });
    const stored = await sync(PEOPLE + 1, counter(syncCounter));
    clock.advance(1_000);
    await fill(PEOPLE + 120, PEOPLE + 61);
    expect((await sync(PEOPLE + 61, counter(stored.manifest.syncCounter))).manifest.payloadUrl).toBeDefined();
    await settled();
    expect(await deviceOf(device)).toMatchObject({ lastSyncAt: stored.manifest.issuedAt, state: 'fresh' });
  });
});

describe('a link that is out', () => {
  it.each<[string, () => Promise<unknown> | unknown]>([
    ['its list has another version: somebody may be erased', () => fill(PEOPLE + 1, PEOPLE + 1)],
    ['its list is being deleted', () => customer.request('DELETE', `/v1/lists/${listId}`)],
    ['its account is suspended', () => setSuspended(api, customer.accountId, true)],
    ['it has ended', () => clock.advance(2 * HOUR_MS)],
  ])('does not work once %s', async (_, change) => {
    const link = await linkOf();
    expect((await fetched(link)).status).toBe(200);
    await change();
    await expectRefused(link);
  });

  it('does not work once its list is past its deadline', async () => {
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const event = { name: 'Concert', startsAt: at(1_000), endsAt: at(HOUR_MS / 2) };
    const { eventId } = (await customer.request<{ eventId: string }>('POST', '/v1/events', event)).body;
    listId = await createList(customer, { name: 'Guests', eventId, retainDays: 0 });
    await fill(PEOPLE);
    device = await addDevice(customer, listId);
    const link = await linkOf();
    expect((await fetched(link)).status).toBe(200);
    clock.advance(HOUR_MS / 2);
    await expectRefused(link);
  });

  it('leads nowhere once a device was revoked: the list has another epoch, and the device gets a wipe', async () => {
    const link = await linkOf();
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${device.id}`);
    expect((await sync()).manifest).toMatchObject({ command: 'wipe', reason: 'device-revoked' });
    await expectRefused(link);
  });

  it('is no link to another list or version, and works in one form, so that a cache holds a payload once', async () => {
    const link = await linkOf();
    const other = await createList(customer);
    await expectRefused(link.replace(listId, other));
    await expectRefused(link.replace(/to=\d+/, 'to=1'));
    await expectRefused(link.replace(/packs\/../, 'packs/AA'));
    await expectRefused(link.replace(/signature=../, 'signature=AA'));
    await expectRefused(link.replace('account=acc', 'account=%61cc'));
  });

  it('does not work while somebody on its list is due', async () => {
    const link = await linkOf();
    await database
      .connection('faces')
      .where({ list_id: listId })
      .update({ delete_after: new Date(clock.now()) });
    await expectRefused(link);
  });
});
