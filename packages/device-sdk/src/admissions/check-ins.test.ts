import { HOUR_MS as HOUR, MINUTE_MS as MINUTE } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import type { CheckInDevice } from '../check-in-device.ts';
import type { Transport } from '../platform/transport.ts';
import { createHarness, type Harness, readyDevice, recorded, visit } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { FakeReceiver } from '../testing/fake-service.ts';
import { STARTED_AT } from '../testing/fake-time.ts';
import { atEveryWrite, withKnownAdmissionKey } from '../testing/watched-stores.ts';
import { ONGOING_WINDOW_MS } from './page.ts';

const secret = new Uint8Array(32).fill(5);
const URL_OF_RECEIVER = 'https://organiser.test/check-ins';

/** A harness whose list sends check-ins to a receiver. */
function toldHarness(): Harness & { readonly receiver: FakeReceiver } {
  const harness = createHarness();
  const { service } = harness;
  const receiver = new FakeReceiver(secret, () => harness.time.clock.wallMs());
  service.checkIn = { url: URL_OF_RECEIVER, secret };
  service.retentionDeadline = new Date(STARTED_AT + 72 * HOUR).toISOString();
  const transport = (request: Parameters<Transport>[0]) =>
    request.url === URL_OF_RECEIVER ? receiver.transport(request) : service.transport(request);
  return Object.assign(harness, { receiver, ports: { ...harness.ports, transport } });
}

async function startedDevice() {
  const harness = toldHarness();
  const device = await readyDevice(harness);
  device.start();
  return { harness, device };
}

const attempt = (device: CheckInDevice, scannedId = 'ticket-1', who = 1) =>
  device.verifyLiveAsync(scannedId, recorded(visit(who, 'left')));
const settled = (harness: Harness) => harness.time.advance(0);
const offline = () => Promise.reject(new TypeError('fetch failed'));

describe('a check-in', () => {
  it('is told once, signed, with who, where and when, and nothing else', async () => {
    const harness = toldHarness();
    const { receiver, service } = harness;
    const device = await readyDevice(harness);
    expect(device.status().checkIns).toEqual({ configured: true, queued: 0, lastDeliveredAtMs: null });
    expect(await attempt(device)).toMatchObject({ admission: { recorded: true, alreadyAdmittedAtMs: null } });
    await settled(harness);
    const timestamp = new Date(STARTED_AT).toISOString();
    const { listId, deviceId } = service;
    expect(receiver.received).toEqual([
      {
        ...{ id: expect.stringMatching(/^chk_[\w-]{22}$/), type: 'person.checked-in', timestamp },
        data: { listId, deviceId, personId: 'ticket-1', checkedInAt: timestamp, again: false },
      },
    ]);
    expect(receiver.requests).toBe(1);
    expect(device.status().checkIns).toEqual({ configured: true, queued: 0, lastDeliveredAtMs: STARTED_AT });
    await harness.time.advance(MINUTE);
    // Without a policy the device says nothing at the door; the organiser learns that the person came again.
    expect(await attempt(device)).toMatchObject({ admission: { recorded: true, alreadyAdmittedAtMs: null } });
    await settled(harness);
    expect(receiver.received[1]?.data).toMatchObject({ personId: 'ticket-1', again: true });
  });

  it('is not told for anybody who is not let in', async () => {
    const harness = toldHarness();
    harness.service.reEntry = 'refuse';
    const device = await readyDevice(harness);
    await attempt(device, 'ticket-1', 2);
    await attempt(device, 'nobody');
    await attempt(device);
    await attempt(device);
    await settled(harness);
    expect(harness.receiver.received).toHaveLength(1);
  });

  it('that is taken back is told after it', async () => {
    const harness = toldHarness();
    const device = await readyDevice(harness);
    harness.receiver.before = offline;
    await attempt(device);
    await harness.time.advance(MINUTE);
    expect(await device.takeBackAdmission('ticket-1')).toBe('taken-back');
    expect(device.status().checkIns.queued).toBe(2);
    harness.receiver.before = async () => undefined;
    await device.syncAsync();
    await settled(harness);
    const { listId, deviceId } = harness.service;
    const checkedInAt = new Date(STARTED_AT).toISOString();
    const timestamp = new Date(STARTED_AT + MINUTE).toISOString();
    expect(harness.receiver.received.map(({ type }) => type)).toEqual([
      'person.checked-in',
      'person.check-in-taken-back',
    ]);
    expect(harness.receiver.received[1]).toMatchObject({
      timestamp,
      data: { listId, deviceId, personId: 'ticket-1', checkedInAt },
    });
  });

  it('waits for the organiser’s address, through a change of it too', async () => {
    const harness = toldHarness();
    const device = await readyDevice(harness);
    harness.receiver.before = offline;
    await attempt(device);
    harness.service.checkIn = null;
    await device.syncAsync();
    await settled(harness);
    expect(device.status().checkIns).toMatchObject({ configured: false, queued: 1 });
    harness.receiver.before = async () => undefined;
    harness.service.checkIn = { url: URL_OF_RECEIVER, secret };
    await device.syncAsync();
    await settled(harness);
    expect(harness.receiver.received).toHaveLength(1);
  });

  it('of a person whose deadline has passed is not told any more', async () => {
    const harness = toldHarness();
    harness.service.enrol('short', templateOf(1), STARTED_AT + HOUR);
    const device = await readyDevice(harness);
    harness.receiver.before = offline;
    expect((await attempt(device, 'short')).outcome).toBe('Match');
    await attempt(device);
    await harness.time.advance(HOUR);
    harness.receiver.before = async () => undefined;
    await device.syncAsync();
    await settled(harness);
    expect(harness.receiver.received.map(({ data }) => data.personId)).toEqual(['ticket-1']);
    expect(device.status().checkIns.queued).toBe(0);
  });

  it('on a page of the log that was altered meanwhile is lost, once, and holds up no other and no guest', async () => {
    const harness = toldHarness();
    // The tests' people are on different pages by this key.
    const { packStore } = withKnownAdmissionKey(harness.ports);
    harness.service.retentionDeadline = null;
    const device = await readyDevice(harness);
    device.start();
    harness.receiver.before = offline;
    await attempt(device);
    const [page = 0] = await packStore.listPages();
    await attempt(device, 'ticket-2', 2);
    expect(await packStore.listPages()).toHaveLength(2);
    const bytes = (await packStore.readPage(page)) ?? new Uint8Array();
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await packStore.writePage(page, bytes);
    const queued: number[] = [];
    device.onStatus(({ checkIns }) => queued.push(checkIns.queued));
    harness.receiver.before = async () => undefined;
    await harness.time.advance(5 * MINUTE);
    expect(harness.receiver.received.map(({ data }) => data.personId)).toEqual(['ticket-2']);
    expect([...new Set(queued)].slice(-2)).toEqual([1, 0]);
    // When the page's admissions are due, there is nothing to delete of it that is known.
    await harness.time.advance(ONGOING_WINDOW_MS);
    expect(device.status().ready).toBe(true);
    expect(await attempt(device, 'ticket-2', 2)).toMatchObject({ outcome: 'Match', admission: { recorded: true } });
  });

  it('is told once at whichever write of it the power fails', async () => {
    const cuts = await atEveryWrite(async (cut, where) => {
      const harness = toldHarness();
      harness.service.reEntry = 'refuse';
      await (await readyDevice(harness)).dispose();
      await harness.create({ ports: cut(harness.ports) }).then(attempt, () => undefined);
      await settled(harness);
      harness.time.restart();
      const device = await harness.create();
      await attempt(device);
      await device.syncAsync();
      await settled(harness);
      expect(harness.receiver.received, where).toHaveLength(1);
      expect(device.status().checkIns.queued).toBe(0);
    });
    expect(cuts).toBeGreaterThanOrEqual(6);
  });
});

describe('a receiver', () => {
  it('that cannot be reached for hours, through restarts too, gets everything in order, once', async () => {
    const harness = toldHarness();
    let device = await readyDevice(harness);
    device.start();
    harness.receiver.before = offline;
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await attempt(device, 'ticket-1', 1);
      await harness.time.advance(2 * HOUR);
      await attempt(device, 'ticket-2', 2);
      await harness.time.advance(2 * HOUR);
      await device.dispose();
      harness.time.restart();
      device = await harness.create({ ports: harness.ports });
      device.start();
    }
    expect(device.status().checkIns.queued).toBe(4);
    harness.receiver.before = async () => undefined;
    await harness.time.advance(5 * MINUTE);
    const people = harness.receiver.received.map(({ data }) => data.personId);
    expect(people).toEqual(['ticket-1', 'ticket-2', 'ticket-1', 'ticket-2']);
    expect(harness.receiver.requests).toBe(4);
  });

  it('whose answer is lost gets the same id again', async () => {
    const { harness, device } = await startedDevice();
    const isSyncing = async () => {
      await settled(harness);
      return device.status().syncing;
    };
    // The end of a sync wakes the queue.
    await expect.poll(isSyncing).toBe(false);
    harness.receiver.after = offline;
    await attempt(device);
    await expect.poll(() => harness.receiver.requests).toBe(1);
    await settled(harness);
    expect(device.status().checkIns.queued).toBe(1);
    harness.receiver.after = async () => undefined;
    await harness.time.advance(5 * MINUTE);
    expect(harness.receiver.requests).toBe(2);
    expect(harness.receiver.received).toHaveLength(1);
    expect(device.status().checkIns.queued).toBe(0);
  });

  it.each([503, 302, 429])('that answers %i is asked again, at growing intervals', async (status) => {
    const { harness, device } = await startedDevice();
    harness.receiver.status = () => status;
    await attempt(device);
    await attempt(device, 'ticket-2', 2);
    await settled(harness);
    // No other check-in is tried meanwhile.
    expect(harness.receiver.requests).toBe(1);
    await harness.time.advance(3 * HOUR);
    expect(harness.receiver.requests).toBeGreaterThan(36);
    expect(harness.receiver.requests).toBeLessThan(80);
    expect(device.status().checkIns.queued).toBe(2);
    harness.receiver.status = () => 200;
    await harness.time.advance(5 * MINUTE);
    expect(harness.receiver.received.map(({ data }) => data.personId)).toEqual(['ticket-1', 'ticket-2']);
    await device.dispose();
  });

  it('that refuses one check-in gets the others; the one is dropped after three refusals beside them', async () => {
    const { harness, device } = await startedDevice();
    harness.receiver.status = ({ data }) => (data.personId === 'ticket-1' ? 422 : 204);
    await attempt(device);
    for (let others = 1; others <= 3; others += 1) {
      expect(device.status().checkIns.queued).toBe(1);
      await attempt(device, 'ticket-2', 2);
      await harness.time.advance(5 * MINUTE);
      expect(harness.receiver.received).toHaveLength(others);
    }
    expect(device.status().checkIns.queued).toBe(0);
  });

  it('that refuses everything loses nothing', async () => {
    const { harness, device } = await startedDevice();
    harness.receiver.status = () => 404;
    for (let visits = 0; visits < 5; visits += 1) await attempt(device);
    await harness.time.advance(3 * HOUR);
    expect(device.status().checkIns.queued).toBe(5);
    harness.receiver.status = () => 204;
    await harness.time.advance(5 * MINUTE);
    expect(harness.receiver.received).toHaveLength(5);
  });

  it('that fails at one check-in gets the others after three tries, and the one when it is mended', async () => {
    const { harness, device } = await startedDevice();
    const { receiver } = harness;
    // As the answers of a server that sends CORS headers with its successes alone look to a page in a browser.
    receiver.before = async (body) => {
      if (body.includes('"ticket-1"')) throw new TypeError('Failed to fetch');
    };
    await attempt(device);
    await attempt(device, 'ticket-2', 2);
    await settled(harness);
    expect(receiver.received).toHaveLength(0);
    await harness.time.advance(5 * MINUTE);
    expect(receiver.received.map(({ data }) => data.personId)).toEqual(['ticket-2']);
    // However many others are accepted, nobody is forgotten for a server's error.
    for (let others = 2; others <= 6; others += 1) {
      await attempt(device, 'ticket-2', 2);
      await harness.time.advance(5 * MINUTE);
      expect(receiver.received).toHaveLength(others);
    }
    expect(device.status().checkIns.queued).toBe(1);
    receiver.before = async () => undefined;
    await harness.time.advance(5 * MINUTE);
    expect(receiver.received.at(-1)?.data.personId).toBe('ticket-1');
    expect(device.status().checkIns.queued).toBe(0);
  });

  it('that refuses a check-in is not told before it that the check-in was taken back', async () => {
    const { harness, device } = await startedDevice();
    harness.receiver.status = ({ type, data }) =>
      type === 'person.checked-in' && data.personId === 'ticket-1' ? 404 : 204;
    await attempt(device);
    await device.takeBackAdmission('ticket-1');
    await attempt(device, 'ticket-2', 2);
    await harness.time.advance(MINUTE);
    expect(harness.receiver.received.map(({ data }) => data.personId)).toEqual(['ticket-2']);
    harness.receiver.status = () => 204;
    await harness.time.advance(5 * MINUTE);
    expect(harness.receiver.received.slice(1).map(({ type }) => type)).toEqual([
      'person.checked-in',
      'person.check-in-taken-back',
    ]);
  });

  it('that does not answer within ten seconds has not answered', async () => {
    const { harness, device } = await startedDevice();
    harness.receiver.before = () => new Promise(() => undefined);
    await attempt(device);
    await harness.time.advance(10_000);
    harness.receiver.before = async () => undefined;
    expect(harness.receiver.received).toHaveLength(0);
    const retried = async () => {
      await harness.time.advance(15_000);
      return harness.receiver.received.length;
    };
    await expect.poll(retried).toBe(1);
  });
});
