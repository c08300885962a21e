import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hkdfSha256 } from '@svc/core/pack';
import {
  ARRIVALS_BUCKET_MS,
  ARRIVALS_KEPT_MS,
  arrivalsKeyInfo,
  arrivalsSigningInput,
  DAY_MS,
  HOUR_MS,
} from '@svc/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CheckInDevice } from '../check-in-device.ts';
import { toBase64Url } from '../platform/bytes.ts';
import { answer, createHarness, type Harness, readyDevice, recorded } from '../testing/device-harness.ts';
import { STARTED_AT } from '../testing/fake-time.ts';
import { atEveryWrite } from '../testing/watched-stores.ts';

const secret = new Uint8Array(32).fill(9);
const counts = (admitted: number, toStaff = 0, notEnrolled = 0) => ({ admitted, toStaff, notEnrolled });
const bucketAfter = (ms: number) => new Date(STARTED_AT - (STARTED_AT % ARRIVALS_BUCKET_MS) + ms).toISOString();
const first = bucketAfter(0);

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

/** What the service has of the device: each bucket as the report with the highest number says, if anybody is in it. */
const told = ({ service }: Harness) => {
  const newest = new Map<string, ReturnType<typeof counts>>();
  for (const { buckets } of [...service.reports].sort((a, b) => a.sequence - b.sequence))
    for (const { startsAt, ...numbers } of buckets) newest.set(startsAt, numbers);
  return Object.fromEntries([...newest].filter(([, of]) => of.admitted + of.toStaff + of.notEnrolled > 0));
};

/** Syncs and waits for the report. */
async function tell(device: CheckInDevice) {
  const result = await device.syncAsync();
  await harness.time.advance(0);
  return result;
}

describe('a ticket', () => {
  it('counts once, as the best that became of it, and what is no ticket not at all', async () => {
    const device = await readyDevice(harness);
    expect(device.status().arrivals).toBe('counts');
    for (const who of [2, 2, 1, 1]) await answer(device, 'ticket-1', who);
    for (const other of ['nobody', 'nobody', 'somebody']) await answer(device, other);
    await answer(device, 'ticket-2', 1);
    await device.verifyLiveAsync('ticket-2', recorded([]), { signal: AbortSignal.abort() });
    await answer(device, '');
    await tell(device);
    expect(told(harness)).toEqual({ [first]: counts(1, 1, 2) });
  });

  it('that was not enrolled, and then is, moves to the five minutes of its admission', async () => {
    const device = await readyDevice(harness);
    await answer(device, 'late', 3);
    harness.service.enrol('late', harness.service.newest.people.get('ticket-1')?.template ?? new Float32Array());
    await harness.time.advance(ARRIVALS_BUCKET_MS);
    await tell(device);
    expect(await answer(device, 'late', 1)).toBe('Match/verified');
    await tell(device);
    expect(told(harness)).toEqual({ [bucketAfter(ARRIVALS_BUCKET_MS)]: counts(1) });
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
      await tell(device);
      expect(told(harness)).toEqual({});
    }
  });
});

describe('a report', () => {
  it('is sent after each sync, signed, with each five minutes of a day, and older ones until they are taken', async () => {
    const device = await readyDevice(harness);
    await answer(device);
    await harness.time.advance(DAY_MS);
    const { reports, listId } = harness.service;
    harness.service.takeReport = () => Promise.reject(new Error('offline'));
    expect(await tell(device)).toMatchObject({ ok: true });
    await answer(device, 'nobody');
    harness.service.takeReport = async () => 204;
    for (let syncs = 0; syncs < 2; syncs += 1) await tell(device);
    for (const { signature, ...report } of reports) {
      const key = hkdfSha256(secret, new Uint8Array(), arrivalsKeyInfo(), 32);
      expect(signature).toBe(toBase64Url(hmac(sha256, key, arrivalsSigningInput(report))));
      expect(report.listId).toBe(listId);
    }
    expect(told(harness)).toEqual({ [first]: counts(1), [bucketAfter(DAY_MS)]: counts(0, 0, 1) });
    expect(reports.map(({ sequence, buckets }) => `${sequence}: ${buckets.length}`)).toEqual([
      '1: 1',
      '3: 288',
      '3: 1',
      '4: 288',
    ]);
  });

  it('holds up neither the sync nor the answer at the door', async () => {
    const device = await readyDevice(harness);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    harness.service.takeReport = () => held.then(() => 204);
    expect(await tell(device)).toMatchObject({ ok: true });
    const { packStore } = harness.ports;
    const written = vi.spyOn(packStore, 'writePage').mockReturnValueOnce(held);
    expect(await answer(device, 'nobody')).toBe('NotEnrolled/not-on-list');
    const disposed = device.dispose();
    release();
    await disposed;
    expect(written).toHaveBeenCalledOnce();
  });

  it('is not sent by a device that was wiped', async () => {
    const device = await readyDevice(harness);
    await answer(device);
    harness.service.wipe = 'device-revoked';
    await tell(device);
    expect(told(harness)).toEqual({});
  });

  it('has the counts of seven days, after a restart too', async () => {
    const device = await readyDevice(harness);
    for (let hours = 0; hours < 24; hours += 1) {
      await answer(device, `guest-${hours}`);
      await harness.time.advance(HOUR_MS);
    }
    harness.time.restart();
    await harness.time.advance(ARRIVALS_KEPT_MS - 3 * HOUR_MS);
    await tell(await harness.create());
    expect(Object.values(told(harness))).toEqual([counts(0, 0, 1), counts(0, 0, 1)]);
  });
});

describe('counting that ends and begins again', () => {
  it('goes on where a list turned it off, and where an older service says nothing of it', async () => {
    const device = await readyDevice(harness);
    await answer(device);
    for (const other of ['off', null] as const) {
      harness.service.arrivals = other;
      await tell(device);
      await answer(device, `nobody-${other}`);
      harness.service.arrivals = secret;
      await tell(device);
      await answer(device);
      await tell(device);
    }
    expect(told(harness)).toEqual({ [first]: counts(1, 0, 1) });
  });

  it('changes no five minutes of which the device told before it forgot them', async () => {
    const device = await readyDevice(harness);
    await answer(device);
    await tell(device);
    harness.service.wipe = 'account-suspended';
    await tell(device);
    harness.service.wipe = null;
    await tell(device);
    await answer(device);
    await answer(device, 'nobody');
    await tell(device);
    expect(told(harness)).toEqual({ [first]: counts(1) });
    await harness.time.advance(ARRIVALS_BUCKET_MS);
    await tell(device);
    expect(told(harness)).toEqual({ [first]: counts(1), [bucketAfter(ARRIVALS_BUCKET_MS)]: counts(1, 0, 1) });
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
      await tell(on);
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
