import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hkdfSha256 } from '@svc/core/pack';
import { ARRIVALS_BUCKET_MS, ARRIVALS_KEPT_MS, arrivalsKeyInfo, arrivalsSigningInput, HOUR_MS } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { toBase64Url } from '../platform/bytes.ts';
import { answer, createHarness, type Harness, readyDevice, recorded } from '../testing/device-harness.ts';
import { STARTED_AT } from '../testing/fake-time.ts';
import { atEveryWrite, contentsOf } from '../testing/watched-stores.ts';

const secret = new Uint8Array(32).fill(9);
const counts = (admitted: number, toStaff = 0, notEnrolled = 0) => ({ admitted, toStaff, notEnrolled });
const first = new Date(STARTED_AT - (STARTED_AT % ARRIVALS_BUCKET_MS)).toISOString();

let harness: Harness;
beforeEach(() => {
  harness = counting();
});

/** A harness whose list counts, but does not remember whom it let in for anything else. */
function counting(): Harness {
  const made = createHarness();
  made.service.arrivals = secret;
  return made;
}

/** What the service has of the device: each bucket as the report with the highest number says. */
const told = ({ service }: Harness) => {
  const newest = new Map<string, object>();
  for (const { buckets } of [...service.reports].sort((a, b) => a.sequence - b.sequence))
    for (const { startsAt, ...numbers } of buckets) newest.set(startsAt, numbers);
  return Object.fromEntries(newest);
};

describe('a ticket', () => {
  it('counts once, as the best that became of it, and what is no ticket not at all', async () => {
    const device = await readyDevice(harness);
    expect(device.status().arrivals).toBe('counts');
    for (const who of [2, 2, 1, 1]) await answer(device, 'ticket-1', who);
    for (const other of ['nobody', 'nobody', 'somebody']) await answer(device, other);
    await answer(device, 'ticket-2', 1);
    await device.verifyLiveAsync('ticket-2', recorded([]), { signal: AbortSignal.abort() });
    await answer(device, '');
    await device.syncAsync();
    expect(told(harness)).toEqual({ [first]: counts(1, 1, 2) });
  });

  it('that was not enrolled, and then is, moves to the five minutes of its admission', async () => {
    const device = await readyDevice(harness);
    await answer(device, 'late', 3);
    harness.service.enrol('late', harness.service.newest.people.get('ticket-1')?.template ?? new Float32Array());
    await harness.time.advance(ARRIVALS_BUCKET_MS);
    await device.syncAsync();
    expect(await answer(device, 'late', 1)).toBe('Match/verified');
    await device.syncAsync();
    const second = new Date(Date.parse(first) + ARRIVALS_BUCKET_MS).toISOString();
    expect(told(harness)).toEqual({ [first]: counts(0), [second]: counts(1) });
  });

  it('is taken out where its admission is taken back, under every policy of re-entry', async () => {
    for (const reEntry of ['off', 'warn', 'refuse'] as const) {
      harness = counting();
      harness.service.reEntry = reEntry;
      const device = await readyDevice(harness);
      await answer(device);
      await harness.time.advance(ARRIVALS_BUCKET_MS);
      await answer(device);
      expect(await device.takeBackAdmission('ticket-1')).toBe('taken-back');
      expect(await device.takeBackAdmission('ticket-1')).toBe('not-admitted');
      await device.syncAsync();
      expect(told(harness)).toEqual({ [first]: counts(0) });
    }
  });
});

describe('a report', () => {
  it('is sent with each sync, signed, with what changed; unsent ones go with the next', async () => {
    const device = await readyDevice(harness);
    await answer(device);
    harness.service.takeReport = () => Promise.reject(new Error('offline'));
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    harness.service.takeReport = async () => 204;
    for (let syncs = 0; syncs < 2; syncs += 1) await device.syncAsync();
    const { reports, listId } = harness.service;
    expect(reports.map(({ sequence, buckets }) => [sequence, buckets.length])).toEqual([
      ...[[1, 0]],
      ...[[3, 1]],
      ...[[4, 0]],
    ]);
    for (const { signature, ...report } of reports) {
      const key = hkdfSha256(secret, new Uint8Array(), arrivalsKeyInfo(), 32);
      expect(signature).toBe(toBase64Url(hmac(sha256, key, arrivalsSigningInput(report))));
      expect(report.listId).toBe(listId);
    }
  });

  it('is not sent by a device that was wiped, and counts are dropped where the list no longer wants them', async () => {
    const device = await readyDevice(harness);
    await answer(device);
    harness.service.arrivals = null;
    await device.syncAsync();
    await answer(device, 'nobody');
    expect((await contentsOf(harness.ports)).pages).toEqual({});
    harness.service.arrivals = secret;
    await device.syncAsync();
    await answer(device);
    harness.service.wipe = 'device-revoked';
    await device.syncAsync();
    expect(told(harness)).toEqual({});
  });

  it('has the counts of seven days, after a restart too', async () => {
    const device = await readyDevice(harness);
    const { length } = harness.service.reports;
    for (let hours = 0; hours < 24; hours += 1) {
      await answer(device, `guest-${hours}`);
      await harness.time.advance(HOUR_MS);
      await device.syncAsync();
    }
    expect(harness.service.reports.slice(length).flatMap(({ buckets }) => buckets)).toHaveLength(24);
    harness.time.restart();
    await harness.time.advance(ARRIVALS_KEPT_MS - 3 * HOUR_MS);
    const again = await harness.create();
    await again.syncAsync();
    expect(harness.service.reports.at(-1)?.buckets).toHaveLength(2);
  });
});

it('a power cut at any write neither loses a ticket nor counts it twice', async () => {
  const cuts = await atEveryWrite(async (cut, where) => {
    harness = counting();
    const device = await readyDevice(harness);
    await device.dispose();
    const scans = async (on: typeof device) => {
      await answer(on, 'ticket-1', 2);
      await answer(on, 'ticket-1', 1);
      await answer(on, 'nobody');
      await on.syncAsync();
    };
    await harness
      .create({ ports: cut(harness.ports) })
      .then(scans)
      .catch(() => undefined);
    harness.time.restart();
    await scans(await harness.create());
    expect(told(harness), where).toEqual({ [first]: counts(1, 0, 1) });
  });
  expect(cuts).toBeGreaterThanOrEqual(10);
});
