import { hkdfSha256 } from '@svc/core/pack';
import { describe, expect, it } from 'vitest';
import type { CheckInDevice } from '../check-in-device.ts';
import { createHarness, type Harness, readyDevice, recorded, visit } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { STARTED_AT } from '../testing/fake-time.ts';
import { contentsOf, failing, withPowerCut } from '../testing/watched-stores.ts';
import { ONGOING_WINDOW_MS } from './page.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const attempt = (device: CheckInDevice, scannedId = 'ticket-1', who = 1) =>
  device.verifyLiveAsync(scannedId, recorded(visit(who, 'left')));
const told = async (device: CheckInDevice, scannedId = 'ticket-1', who = 1) => {
  const { outcome, reason } = await attempt(device, scannedId, who);
  return `${outcome}/${reason}`;
};

/** A harness whose list is of an event that ends in three days. */
function eventHarness(reEntry: 'off' | 'warn' | 'refuse', deadlineMs: number | null = 3 * DAY): Harness {
  const harness = createHarness();
  const { keyStore } = harness.ports;
  const derive = keyStore.deriveFromAdmissionKey;
  // A fixed key, by which the tests' people are on different pages.
  keyStore.deriveFromAdmissionKey = async (...what) => {
    await derive(...what);
    return hkdfSha256(new Uint8Array(32).fill(1), ...what);
  };
  harness.service.reEntry = reEntry;
  harness.service.retentionDeadline = deadlineMs === null ? null : new Date(STARTED_AT + deadlineMs).toISOString();
  return harness;
}

const pagesOf = async (harness: Harness) => (await harness.ports.packStore.listPages()).length;
const hasKey = (harness: Harness) => harness.ports.keyStore.hasAdmissionKey();

describe('a person who comes again', () => {
  it('is a Match, and nothing is stored, where the list does not ask', async () => {
    const harness = eventHarness('off');
    const device = await readyDevice(harness);
    const before = await contentsOf(harness.ports);
    for (let visits = 0; visits < 2; visits += 1) {
      const result = await attempt(device);
      expect(result).toMatchObject({
        ...{ outcome: 'Match', reason: 'verified' },
        admission: { recorded: false, alreadyAdmittedAtMs: null },
      });
    }
    expect({ ...(await contentsOf(harness.ports)), state: null }).toEqual({ ...before, state: null });
    expect([await pagesOf(harness), await hasKey(harness)]).toEqual([0, false]);
  });

  it('is a Match that says when under `warn`, after a restart too', async () => {
    const harness = eventHarness('warn');
    const device = await readyDevice(harness);
    expect(await attempt(device)).toMatchObject({ admission: { recorded: true, alreadyAdmittedAtMs: null } });
    await harness.time.advance(10 * MINUTE);
    expect(await attempt(device, 'ticket-2', 2)).toMatchObject({ admission: { alreadyAdmittedAtMs: null } });
    await device.dispose();
    harness.time.restart();
    const again = await harness.create();
    const second = { outcome: 'Match', admission: { recorded: true, alreadyAdmittedAtMs: STARTED_AT } };
    expect(await attempt(again)).toMatchObject(second);
    const third = { outcome: 'Match', admission: { recorded: true, alreadyAdmittedAtMs: STARTED_AT + 10 * MINUTE } };
    expect(await attempt(again)).toMatchObject(third);
  });

  it('is refused under `refuse`, after a restart too; others are not', async () => {
    const harness = eventHarness('refuse');
    const device = await readyDevice(harness);
    expect(await told(device)).toBe('Match/verified');
    const refused = { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs: STARTED_AT };
    expect(await attempt(device)).toMatchObject(refused);
    expect(await attempt(device)).not.toHaveProperty('admission');
    await device.dispose();
    harness.time.restart();
    const again = await harness.create();
    expect(await attempt(again)).toMatchObject(refused);
    expect(await told(again, 'ticket-2', 2)).toBe('Match/verified');
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
    expect(await told(device)).toBe('NoMatch/already-let-in');
    service.epochs.unshift({
      ...service.epochs[0],
      epoch: 2,
      listKey: new Uint8Array(32).fill(8),
      people: new Map(),
    } as never);
    service.enrol('ticket-1', templateOf(1));
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(await told(device)).toBe('NoMatch/already-let-in');
    service.epochs.pop();
    service.version += 1;
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(await told(device)).toBe('NoMatch/already-let-in');
  });

  it('to an event is known until its data goes, to an ongoing list for twelve hours', async () => {
    for (const deadlineMs of [3 * DAY, null]) {
      const harness = eventHarness('refuse', deadlineMs);
      const device = await readyDevice(harness);
      await attempt(device);
      await harness.time.advance(ONGOING_WINDOW_MS - 1);
      expect(await told(device)).toBe('NoMatch/already-let-in');
      await harness.time.advance(1);
      expect(await told(device)).toBe(deadlineMs === null ? 'Match/verified' : 'NoMatch/already-let-in');
    }
  });
});

describe('taking an admission back', () => {
  it('lets the person in again, once', async () => {
    const harness = eventHarness('refuse');
    const device = await readyDevice(harness);
    expect(await device.takeBackAdmission('ticket-1')).toBe('not-admitted');
    expect(await hasKey(harness)).toBe(false);
    await attempt(device);
    for (const other of ['ticket-2', 'nobody', '', 7 as never]) {
      expect(await device.takeBackAdmission(other)).toBe('not-admitted');
    }
    expect(await device.takeBackAdmission('ticket-1')).toBe('taken-back');
    expect(await device.takeBackAdmission('ticket-1')).toBe('not-admitted');
    expect(await pagesOf(harness)).toBe(0);
    expect(await told(device)).toBe('Match/verified');
    expect(await told(device)).toBe('NoMatch/already-let-in');
    await device.dispose();
    await expect(device.takeBackAdmission('ticket-1')).rejects.toMatchObject({ code: 'storage-failed' });
  });
});

describe('a log that cannot be kept', () => {
  it('lets nobody in under `refuse`, and everybody without', async () => {
    for (const [reEntry, expected] of [
      ['refuse', 'NoMatch/storage-failed'],
      ['warn', 'Match/verified'],
    ] as const) {
      const harness = eventHarness(reEntry);
      let fails = true;
      const device = await readyDevice(harness, { ports: failing(harness.ports, () => (fails ? ['writePage'] : [])) });
      const { outcome, reason, ...rest } = await attempt(device);
      expect(`${outcome}/${reason}`).toBe(expected);
      if (reEntry === 'warn') expect(rest).toMatchObject({ admission: { recorded: false, alreadyAdmittedAtMs: null } });
      fails = false;
      expect(await told(device)).toBe('Match/verified');
    }
  });

  it('that was altered lets nobody of its page in under `refuse`, and starts again without', async () => {
    for (const reEntry of ['refuse', 'warn'] as const) {
      const harness = eventHarness(reEntry);
      const device = await readyDevice(harness);
      await attempt(device);
      const { packStore } = harness.ports;
      const [page = 0] = await packStore.listPages();
      const bytes = (await packStore.readPage(page)) ?? new Uint8Array();
      bytes[100] = (bytes[100] ?? 0) ^ 1;
      await packStore.writePage(page, bytes);
      await device.dispose();
      const again = await harness.create();
      const first = await attempt(again);
      if (reEntry === 'refuse') {
        expect(first).toMatchObject({ outcome: 'NoMatch', reason: 'storage-failed' });
        expect(again.status().ready).toBe(true);
        expect(await told(again, 'ticket-2', 2)).toBe('Match/verified');
      } else {
        expect(first).toMatchObject({ outcome: 'Match', admission: { recorded: true, alreadyAdmittedAtMs: null } });
        expect(await attempt(again)).toMatchObject({ admission: { alreadyAdmittedAtMs: STARTED_AT } });
      }
    }
  });

  it('is not opened as another page', async () => {
    const harness = eventHarness('refuse');
    const device = await readyDevice(harness);
    await attempt(device);
    const { packStore } = harness.ports;
    const [page = 0] = await packStore.listPages();
    const bytes = (await packStore.readPage(page)) ?? new Uint8Array();
    await attempt(device, 'ticket-2', 2);
    const other = (await packStore.listPages()).find((each) => each !== page) ?? 0;
    await packStore.writePage(other, bytes);
    expect(await told(device, 'ticket-2', 2)).toBe('NoMatch/storage-failed');
  });
});

describe('the log is deleted', () => {
  const wiped = async (harness: Harness) =>
    expect({ pages: await pagesOf(harness), key: await hasKey(harness) }).toEqual({ pages: 0, key: false });
  const filled = async (over: Parameters<typeof eventHarness> = ['refuse']) => {
    const harness = eventHarness(...over);
    const device = await readyDevice(harness);
    await attempt(device);
    expect({ pages: await pagesOf(harness), key: await hasKey(harness) }).toEqual({ pages: 1, key: true });
    return { harness, device };
  };

  it('at the list’s deadline, offline', async () => {
    const { harness, device } = await filled(['refuse', 10 * HOUR]);
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

  it('of a person whose deadline has passed, others stay', async () => {
    const harness = eventHarness('refuse', 30 * DAY);
    harness.service.enrol('short', templateOf(1), STARTED_AT + 2 * HOUR);
    const device = await readyDevice(harness);
    expect(await told(device, 'short')).toBe('Match/verified');
    expect(await told(device, 'ticket-2', 2)).toBe('Match/verified');
    expect(await pagesOf(harness)).toBe(2);
    await harness.time.advance(2 * HOUR);
    await told(device, 'ticket-2', 2);
    expect(await pagesOf(harness)).toBe(1);
    expect(await told(device, 'ticket-2', 2)).toBe('NoMatch/already-let-in');
  });

  it('also of a person whose page cannot be rewritten, because a full disk must not preserve it', async () => {
    const harness = eventHarness('refuse', null);
    let fails = false;
    const ports = failing(harness.ports, () => (fails ? ['writePage'] : []));
    const device = await readyDevice(harness, { ports });
    await attempt(device);
    fails = true;
    await harness.time.advance(ONGOING_WINDOW_MS);
    await told(device);
    expect(await pagesOf(harness)).toBe(0);
  });

  it('also where the state cannot be written either', async () => {
    const harness = eventHarness('refuse', null);
    let fails = false;
    const ports = failing(harness.ports, () => (fails ? ['writePage', 'writeState'] : []));
    const device = await readyDevice(harness, { ports });
    await attempt(device);
    fails = true;
    await harness.time.advance(ONGOING_WINDOW_MS);
    expect(await told(device)).toBe('LeaseExpired/storage-failed');
    expect(await pagesOf(harness)).toBe(0);
  });

  it('where its key is gone, because an interrupted deletion took that first', async () => {
    const { harness, device } = await filled();
    await device.dispose();
    await harness.ports.keyStore.deleteAdmissionKey();
    await harness.create();
    await wiped(harness);
  });

  it('not with a pack that was altered: it is still known after the next sync, but for the list’s deadline', async () => {
    for (const isSynced of [true, false]) {
      const { harness, device } = await filled(['refuse', 10 * HOUR]);
      await device.dispose();
      await harness.ports.packStore.deletePack(1);
      const again = await harness.create();
      expect(await told(again)).toBe('LeaseExpired/state-untrusted');
      expect([await pagesOf(harness), await hasKey(harness)]).toEqual([1, true]);
      if (isSynced) {
        expect(await again.syncAsync()).toMatchObject({ ok: true });
        expect(await told(again)).toBe('NoMatch/already-let-in');
      } else {
        await again.dispose();
        await harness.time.advance(10 * HOUR);
        await harness.create();
        await wiped(harness);
      }
    }
  });
});

describe('a power cut during a Match', () => {
  it('leaves the person let in or not, and whoever was told so is not let in twice', async () => {
    let cuts = 0;
    const seen = new Set<string>();
    for (const when of ['before', 'after'] as const) {
      for (let at = 0, isDone = false; !isDone; at += 1) {
        const harness = eventHarness('refuse');
        await (await readyDevice(harness)).dispose();
        harness.time.restart();
        const stores = withPowerCut(harness.ports, at, when);
        const first = await harness
          .create({ ports: stores })
          .then(told)
          .catch(() => 'off');
        isDone = stores.writes() <= at;
        if (!isDone) cuts += 1;
        harness.time.restart();
        const second = await told(await harness.create());
        seen.add(`${first} ${second}`);
        expect(['Match/verified', 'NoMatch/already-let-in'], `${when} ${at}`).toContain(second);
        if (first === 'Match/verified') expect(second, `${when} ${at}`).toBe('NoMatch/already-let-in');
      }
    }
    expect(cuts).toBeGreaterThanOrEqual(4);
    expect([...seen].sort()).toEqual(expect.arrayContaining(['Match/verified NoMatch/already-let-in']));
  });

  it('or while the log is being deleted: the restart completes it', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 0, isDone = false; !isDone; at += 1) {
        const harness = eventHarness('refuse', 10 * HOUR);
        const device = await readyDevice(harness);
        await attempt(device);
        await device.dispose();
        await harness.time.advance(10 * HOUR);
        const stores = withPowerCut(harness.ports, at, when);
        await harness.create({ ports: stores }).catch(() => undefined);
        isDone = stores.writes() <= at;
        const { keyStore } = harness.ports;
        // List keys never outlive the key of the log.
        if ((await keyStore.listKeyGenerations()).length === 0) expect(await keyStore.hasAdmissionKey()).toBe(false);
        await harness.create();
        expect([await pagesOf(harness), await hasKey(harness)], `${when} ${at}`).toEqual([0, false]);
      }
    }
  });
});
