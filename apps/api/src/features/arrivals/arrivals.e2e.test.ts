import { ARRIVALS_BUCKET_MS, type Arrivals, DAY_MS, HOUR_MS, type ListResource } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { addDevice, arrivalsKeyOf, signedArrivals, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { runJobs, useApi, useServices } from '../../testing/use-api.ts';

const { api, clock, customer, database } = useApi();
const services = useServices(api, { clock });
// In the middle of a half day.
beforeEach(() => clock.advance(DAY_MS - (clock.now() % DAY_MS) + 6 * HOUR_MS));

/** A list that counts, of an event that lasts three hours from now on; or an ongoing one. */
async function newList(ofEvent = true): Promise<string> {
  const [startsAt, endsAt] = [0, 3 * HOUR_MS].map((ms) => new Date(clock.now() + ms).toISOString());
  const event = { name: 'Concert', startsAt, endsAt };
  const { eventId } = (await customer.request<{ eventId: string }>('POST', '/v1/events', event)).body;
  const of = ofEvent ? { eventId, retainDays: 10 } : { ongoing: true };
  const list = { name: 'Guests', arrivals: 'counts', ...of };
  return (await customer.request<ListResource>('POST', '/v1/lists', list)).body.listId;
}

/** A door with the key by which it signs, after so many syncs. */
async function newDoor(listId: string, name: string) {
  const device = await addDevice(customer, listId, { name });
  await database.connection('devices').where({ device_id: device.id }).update({ sync_counter: 8 });
  return { ...device, listId, key: await arrivalsKeyOf(api, device) };
}
type Door = Awaited<ReturnType<typeof newDoor>>;

const bucketAt = (ms: number) => new Date(ms - (ms % ARRIVALS_BUCKET_MS)).toISOString();
const bucket = (admitted: number, agoMs = ARRIVALS_BUCKET_MS, over = {}) => ({
  ...{ startsAt: bucketAt(clock.now() - agoMs), admitted, toStaff: 0, notEnrolled: 0 },
  ...over,
});

const send = ({ token }: Pick<TestDevice, 'token'>, body: object) =>
  fetch(`${api.url}/v1/device/arrivals`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

const signed = ({ listId, key }: Door, sequence: number, buckets: readonly ReturnType<typeof bucket>[]) =>
  signedArrivals(key, { listId, sequence, buckets });
async function report(door: Door, sequence: number, ...buckets: readonly ReturnType<typeof bucket>[]) {
  const answer = await send(door, signed(door, sequence, buckets));
  return answer.status === 204 ? 204 : `${((await answer.json()) as { code: string }).code}`;
}
const read = async (listId: string) => (await customer.request<Arrivals>('GET', `/v1/lists/${listId}/arrivals`)).body;
const totalOf = async (listId: string) => (await read(listId)).totals.admitted;

describe('a report', () => {
  it('is taken once: repeated and late ones change nothing, later ones replace what they have', async () => {
    const listId = await newList();
    const door = await newDoor(listId, 'North');
    const now = bucket(8);
    const steps = [
      [2, 8, 8],
      [2, 40, 8],
      [1, 30, 8],
      [3, 20, 20],
      // People were taken back: what was published stays.
      [4, 18, 20],
    ] as const;
    for (const [sequence, admitted, expected] of steps) {
      expect(await report(door, sequence, { ...now, admitted })).toBe(204);
      expect(await totalOf(listId)).toBe(expected);
    }
    expect(await report(door, 5)).toBe(204);
    expect(await read(listId)).toEqual({
      ...{ listId, arrivals: 'counts', exact: false, enrolled: 0 },
      totals: { admitted: 20, toStaff: 0, notEnrolled: 0 },
      doors: [
        {
          ...{ deviceId: door.id, name: 'North', reportedAt: new Date(clock.now()).toISOString() },
          ...{ admitted: 20, toStaff: 0, notEnrolled: 0 },
        },
      ],
      buckets: [{ ...now, admitted: 20 }],
    });
  });

  it('counts for nothing without the signature of the device whose token it has', async () => {
    const listId = await newList();
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    const own = signed(north, 1, [bucket(8)]);
    const stolen = [
      [south, own],
      [north, { ...own, sequence: 2 }],
      [north, { ...own, buckets: [bucket(80)] }],
      [north, { ...own, signature: 'A'.repeat(43) }],
    ] as const;
    for (const [door, body] of stolen) expect((await send(door, body)).status).toBe(401);
    expect(await totalOf(listId)).toBe(0);
  });

  it('of another list, of one that does not count, of a wiped device or another time is refused', async () => {
    const [listId, other] = [await newList(), await newList()];
    const door = await newDoor(listId, 'North');
    expect(await report({ ...door, listId: other }, 1, bucket(8))).toBe('not-found');
    const late = [bucket(8, -2 * ARRIVALS_BUCKET_MS), bucket(8, 9 * DAY_MS), bucket(8, 0, { startsAt: '2026-01-01' })];
    for (const one of late) expect(await report(door, 1, one)).toBe('invalid-request');
    expect(await report(door, 1, bucket(8), bucket(9))).toBe('invalid-request');
    expect(await report(door, 1, bucket(100_001))).toBe('invalid-request');
    expect(await report(door, 2 ** 52, bucket(8))).toBe('invalid-request');
    await customer.request('PATCH', `/v1/lists/${listId}`, { arrivals: 'off' });
    expect(await report(door, 1, bucket(8))).toBe('arrivals-off');
    expect((await syncOf(api, door)).manifest.arrivals).toEqual({ policy: 'off' });
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${door.id}`);
    expect(await report(door, 1, bucket(8))).toBe('invalid-credential');
    expect(await totalOf(listId)).toBe(0);
  });
});

describe('what organisers see', () => {
  it('has no door and no time of fewer than five until an hour after the end, and is exact then', async () => {
    const listId = await newList();
    const [north, south] = [await newDoor(listId, 'North'), await newDoor(listId, 'South')];
    const kinds = { toStaff: 4, notEnrolled: 6 };
    await report(north, 1, bucket(4, 2 * ARRIVALS_BUCKET_MS), bucket(3, ARRIVALS_BUCKET_MS, kinds));
    await report(south, 1, bucket(4, 2 * ARRIVALS_BUCKET_MS), bucket(9, 0));
    const running = await read(listId);
    expect(running.totals).toEqual({ admitted: 7, toStaff: 0, notEnrolled: 6 });
    expect(running.buckets).toEqual([bucket(7, ARRIVALS_BUCKET_MS, { notEnrolled: 6 })]);
    expect(running.doors.map(({ name, admitted }) => [name, admitted])).toEqual([
      ['North', 7],
      ['South', 0],
    ]);
    clock.advance(4 * HOUR_MS);
    await report(south, 2, bucket(2, 0), bucket(2, HOUR_MS));
    const over = await read(listId);
    expect(over).toMatchObject({ exact: true, totals: { admitted: 20, ...kinds } });
    // Of the five minutes of a few nothing is told, and of who comes after the end only when an hour of it is over.
    expect(over.buckets.map(({ admitted }) => admitted)).toEqual([7, 13]);
    clock.advance(2 * HOUR_MS);
    expect((await read(listId)).totals.admitted).toBe(24);
  });

  it('of an ongoing list is the last day, never exact, and goes after eight days', async () => {
    const listId = await newList(false);
    const door = await newDoor(listId, 'North');
    await report(door, 1, bucket(8, DAY_MS + ARRIVALS_BUCKET_MS), bucket(6), bucket(3, 2 * ARRIVALS_BUCKET_MS));
    expect(await read(listId)).toMatchObject({ exact: false, totals: { admitted: 9 } });
    const kept = async () => (await database.connection('device_arrivals').where({ list_id: listId })).length;
    expect(await kept()).toBe(3);
    clock.advance(8 * DAY_MS - HOUR_MS);
    await runJobs(services);
    expect(await kept()).toBe(2);
  });
});
