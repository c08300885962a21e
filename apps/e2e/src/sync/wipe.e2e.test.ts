import type { VerifiedAnswer } from '@svc/benchmarks/inputs/sync-device';
import { parsePack, recordDeleteAfterMs } from '@svc/core/pack';
import { DAY_MS, HOUR_MS, WITHHOLD_BEFORE_MS } from '@svc/protocol';
import { afterAll, expect, it } from 'vitest';
import { startService, syncDeviceOf } from '../support/service.ts';

let nowMs = Date.parse('2027-03-02T10:00:00.000Z');
const service = await startService({ clock: { now: () => nowMs } });
afterAll(() => service.close());

/** A list with one person and one device that has synced. */
async function inService() {
  const listId = await service.createList();
  await service.enrol(listId, 'T-1');
  const { id, token } = await service.addDevice(listId);
  const device = syncDeviceOf(service.api, token);
  await device.sync();
  return { listId, id, device };
}

it('a device gets the wipe command for 400 days, after which its token is unknown', async () => {
  const [revoked, deleted] = [await inService(), await inService()];
  await service.revoke(revoked.listId, revoked.id);
  await service.call('DELETE', `/v1/lists/${deleted.listId}`);
  const startMs = nowMs;
  nowMs = startMs + 400 * DAY_MS - 1;
  expect((await revoked.device.sync()).manifest.reason).toBe('device-revoked');
  expect((await deleted.device.sync()).manifest.reason).toBe('list-deleted');
  nowMs = startMs + 400 * DAY_MS;
  for (const { status, code } of [await revoked.device.ask(), await deleted.device.ask()])
    expect([status, code]).toEqual([401, 'invalid-credential']);
});

/** No record of an answer may be due within a day: a device that goes offline then holds nobody too long. */
function expectNobodyDue({ manifest, payload }: VerifiedAnswer): void {
  const limit = Date.parse(manifest.issuedAt) + WITHHOLD_BEFORE_MS;
  for (const epoch of parsePack(payload).epochs) {
    for (const record of epoch.records()) expect(recordDeleteAfterMs(record)).toBeGreaterThan(limit);
  }
}

it('an ongoing list leaves out people due within 24 hours, each with its own version, until they enrol again', async () => {
  // Each face is served for one day.
  const listId = await service.createList({ name: 'Pool', ongoing: true, retainDays: 2 });
  const device = syncDeviceOf(service.api, (await service.addDevice(listId)).token);
  const startMs = nowMs;
  await service.enrol(listId, 'early');
  nowMs = startMs + 12 * HOUR_MS;
  await service.enrol(listId, 'late');
  const both = await device.sync();
  expect(both.manifest.recordCount).toBe(2);
  expectNobodyDue(both);

  nowMs = startMs + DAY_MS - 1;
  expect((await device.sync({ since: both.manifest.toVersion })).payloadKind).toBe(0);

  nowMs = startMs + DAY_MS;
  const one = await device.sync({ since: both.manifest.toVersion });
  expect(one.payloadKind).toBeGreaterThan(0);
  expect(one.manifest).toMatchObject({ recordCount: 1, toVersion: both.manifest.toVersion + 1 });
  expectNobodyDue(await device.sync());
  // Not deleted before their time.
  expect(await service.call('GET', `/v1/lists/${listId}/people/early`)).toMatchObject({ personId: 'early' });

  nowMs = startMs + 36 * HOUR_MS;
  const none = await device.sync({ since: one.manifest.toVersion });
  expect(none.manifest).toMatchObject({ recordCount: 0, toVersion: one.manifest.toVersion + 1 });
  await service.enrol(listId, 'late');
  const back = await device.sync({ since: none.manifest.toVersion });
  expect(back.manifest).toMatchObject({ recordCount: 1, toVersion: none.manifest.toVersion + 1 });
  expectNobodyDue(await device.sync());
});
