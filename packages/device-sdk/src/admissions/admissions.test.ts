import { DAY_MS as DAY, HOUR_MS as HOUR } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import type { CheckInDevice } from '../check-in-device.ts';
import {
  answer,
  createHarness,
  type Harness,
  readyDevice,
  readyHarness,
  recorded,
  visit,
} from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { STARTED_AT } from '../testing/fake-time.ts';
import { atEveryWrite, failing } from '../testing/watched-stores.ts';
import { ONGOING_WINDOW_MS } from './page.ts';

const attempt = (device: CheckInDevice, scannedId = 'ticket-1', who = 1) =>
  device.verifyLiveAsync(scannedId, recorded(visit(who, 'left')));
/** A harness whose list is of an event that ends in three days. */
function eventHarness(reEntry: 'off' | 'warn' | 'refuse', deadlineMs: number | null = 3 * DAY): Harness {
  const harness = createHarness();
  harness.service.reEntry = reEntry;
  harness.service.retentionDeadline = deadlineMs === null ? null : new Date(STARTED_AT + deadlineMs).toISOString();
  return harness;
}

const pagesOf = async (harness: Harness) => (await harness.ports.packStore.listPages()).length;
const hasKey = (harness: Harness) => harness.ports.keyStore.hasAdmissionKey();

describe('a person who comes again', () => {
  it('is a Match that says when under `warn`, and refused under `refuse`, after a restart too', async () => {
    for (const [reEntry, again] of [
      ['warn', { outcome: 'Match', admission: { recorded: true, alreadyAdmittedAtMs: STARTED_AT } }],
      ['refuse', { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs: STARTED_AT }],
    ] as const) {
      const { harness, device } = await readyHarness({}, eventHarness(reEntry));
      expect(await attempt(device)).toMatchObject({ admission: { recorded: true, alreadyAdmittedAtMs: null } });
      await device.dispose();
      harness.time.restart();
      const result = await attempt(await harness.create());
      expect(result).toMatchObject(again);
      expect('admission' in result).toBe(reEntry === 'warn');
    }
  });

  it('is refused only after the face matched, so that a found ticket tells nothing', async () => {
    const device = await readyDevice(eventHarness('refuse'));
    await attempt(device);
    const result = await attempt(device, 'ticket-1', 2);
    expect(result).toMatchObject({ outcome: 'NoMatch', reason: 'below-threshold' });
    expect(result).not.toHaveProperty('alreadyAdmittedAtMs');
  });

  it('is known through changes of the list, another model and another enrolment', async () => {
    const harness = eventHarness('refuse');
    const { service } = harness;
    const device = await readyDevice(harness);
    await attempt(device);
    service.erase('ticket-2');
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(await answer(device)).toBe('NoMatch/already-let-in');
    service.epochs.unshift({ ...service.newest, epoch: 2, listKey: new Uint8Array(32).fill(8), people: new Map() });
    service.enrol('ticket-1', templateOf(1));
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    service.epochs.pop();
    service.version += 1;
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(await answer(device)).toBe('NoMatch/already-let-in');
  });

  it('to an event is known until its data goes, to an ongoing list for twelve hours', async () => {
    for (const deadlineMs of [3 * DAY, null]) {
      const { harness, device } = await readyHarness({}, eventHarness('refuse', deadlineMs));
      await attempt(device);
      await harness.time.advance(ONGOING_WINDOW_MS - 1);
      expect(await answer(device)).toBe('NoMatch/already-let-in');
      await harness.time.advance(1);
      expect(await answer(device)).toBe(deadlineMs === null ? 'Match/verified' : 'NoMatch/already-let-in');
    }
  });

  it('is let in again once the admission was taken back', async () => {
    const device = await readyDevice(eventHarness('refuse'));
    await attempt(device);
    for (const other of ['ticket-2', 'nobody', '', 7 as never]) {
      expect(await device.takeBackAdmission(other)).toBe('not-admitted');
    }
    expect(await device.takeBackAdmission('ticket-1')).toBe('taken-back');
    expect(await answer(device)).toBe('Match/verified');
    await device.dispose();
    await expect(device.takeBackAdmission('ticket-1')).rejects.toMatchObject({ code: 'storage-failed' });
  });

  it('is not let in under `refuse` where the log cannot be kept, and is without', async () => {
    for (const [reEntry, expected] of [
      ['refuse', { outcome: 'NoMatch', reason: 'storage-failed' }],
      ['warn', { outcome: 'Match', admission: { recorded: false, alreadyAdmittedAtMs: null } }],
    ] as const) {
      const harness = eventHarness(reEntry);
      let fails = true;
      const ports = failing(harness.ports, () => (fails ? ['writePage'] : []));
      const device = await readyDevice(harness, { ports });
      expect(await attempt(device)).toMatchObject(expected);
      fails = false;
      expect(await answer(device)).toBe('Match/verified');
    }
  });
});

describe('the log is deleted', () => {
  const wiped = async (harness: Harness) =>
    expect({ pages: await pagesOf(harness), key: await hasKey(harness) }).toEqual({ pages: 0, key: false });
  const filled = async (deadlineMs: number | null = 10 * HOUR) => {
    const { harness, device } = await readyHarness({}, eventHarness('refuse', deadlineMs));
    await attempt(device);
    expect({ pages: await pagesOf(harness), key: await hasKey(harness) }).toEqual({ pages: 1, key: true });
    return { harness, device };
  };

  it('at the list’s deadline, offline', async () => {
    const { harness, device } = await filled();
    device.start();
    harness.service.answer = () => Promise.reject(new Error('offline'));
    await harness.time.advance(10 * HOUR);
    await wiped(harness);
  });

  it('by a signed wipe', async () => {
    const { harness, device } = await filled();
    harness.service.wipe = 'list-deleted';
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'wiped' });
    await wiped(harness);
    expect(await device.takeBackAdmission('ticket-1')).toBe('not-admitted');
  });

  it('when a person’s time is over, also where neither page nor state can be written', async () => {
    const harness = eventHarness('refuse', null);
    let fails = false;
    const ports = failing(harness.ports, () => (fails ? ['writePage', 'writeState'] : []));
    const device = await readyDevice(harness, { ports });
    await attempt(device);
    fails = true;
    await harness.time.advance(ONGOING_WINDOW_MS);
    expect(await answer(device)).toBe('LeaseExpired/storage-failed');
    expect(await pagesOf(harness)).toBe(0);
  });

  it('not with a pack that was altered: it is still known after the next sync, but for the list’s deadline', async () => {
    for (const isSynced of [true, false]) {
      const { harness, device } = await filled();
      await device.dispose();
      await harness.ports.packStore.deletePack(1);
      const again = await harness.create();
      expect(await answer(again)).toBe('LeaseExpired/state-untrusted');
      expect([await pagesOf(harness), await hasKey(harness)]).toEqual([1, true]);
      if (isSynced) {
        expect(await again.syncAsync()).toMatchObject({ ok: true });
        expect(await answer(again)).toBe('NoMatch/already-let-in');
      } else {
        await again.dispose();
        await harness.time.advance(10 * HOUR);
        await harness.create();
        await wiped(harness);
      }
    }
  });

  it('although the power fails meanwhile: the restart completes it', async () => {
    await atEveryWrite(async (cut) => {
      const { harness, device } = await filled();
      await device.dispose();
      await harness.time.advance(10 * HOUR);
      await harness.create({ ports: cut(harness.ports) }).catch(() => undefined);
      // List keys never outlive the key of the log.
      const { keyStore } = harness.ports;
      if ((await keyStore.listKeyGenerations()).length === 0) expect(await keyStore.hasAdmissionKey()).toBe(false);
      await harness.create();
      await wiped(harness);
    });
  });
});
