import { DAY_MS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import type { CheckInDevice } from '../check-in-device.ts';
import { createHarness, type Harness, readyDevice, readyHarness, recorded, visit } from '../testing/device-harness.ts';
import { STARTED_AT } from '../testing/fake-time.ts';
import { atEveryWrite, failing } from '../testing/watched-stores.ts';
import { ONGOING_WINDOW_MS } from './page.ts';

const attempt = (device: CheckInDevice, scannedId = 'ticket-1', who = 1) =>
  device.verifyLiveAsync(scannedId, recorded(visit(who, 'left')));

function sharing(reEntry: 'warn' | 'refuse' = 'refuse', deadlineMs: number | null = 3 * DAY_MS): Harness {
  const harness = createHarness();
  Object.assign(harness.service, { reEntry, reEntryScope: 'list' });
  harness.service.retentionDeadline = deadlineMs === null ? null : new Date(STARTED_AT + deadlineMs).toISOString();
  return harness;
}

const ready = (...given: Parameters<typeof sharing>) => readyHarness({}, sharing(...given));

const lost = async () => {
  throw new Error('no route');
};
const together = { outcome: 'Match', admission: { recorded: true, sharing: 'together', alreadyAdmittedAtMs: null } };
const alone = { outcome: 'Match', admission: { recorded: true, sharing: 'alone' } };
const elsewhere = { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs: STARTED_AT - 60_000 };
const AT_SOUTH = STARTED_AT - 60_000;
/** After one more exchange. */
const shared = async (device: CheckInDevice) => {
  await device.syncAsync();
  const told = new Promise<void>((resolve) => device.onStatus(() => resolve()));
  await Promise.race([told, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
  return device.status().sharedAdmissions;
};

describe('a ticket at two doors of a list that shares admissions', () => {
  it('is let in where it comes first, and its admission is not told again', async () => {
    const { harness, device } = await ready();
    expect(await attempt(device)).toMatchObject(together);
    expect(await harness.service.admissions.of('ticket-1')).toMatchObject({ own: true, takenBack: false });
    expect(device.status()).toMatchObject({
      sharedAdmissions: { scope: 'list', sharing: 'together', unsent: 0, conflicts: [] },
    });
    expect(await attempt(device)).toMatchObject({ reason: 'already-let-in', alreadyAdmittedAtMs: STARTED_AT });
  });

  it.each(['refuse', 'warn'] as const)('is known at the second, by `%s`, with time and door', async (reEntry) => {
    const { harness, device } = await ready(reEntry);
    await harness.service.admissions.elsewhere('ticket-1', AT_SOUTH);
    const warned = { outcome: 'Match', admission: { alreadyAdmittedAtMs: AT_SOUTH, door: 'South' } };
    expect(await attempt(device)).toMatchObject(reEntry === 'warn' ? warned : { ...elsewhere, door: 'South' });
    // A second admission that staff know of is no conflict, and is the last one from then on.
    const { sharing: state, conflicts } = await shared(device);
    expect([state, conflicts]).toEqual(['together', []]);
    expect(await harness.service.admissions.of('ticket-1')).toMatchObject({ own: reEntry === 'warn', also: null });
  });

  it('is known from what the door last learnt, without the service and after a restart', async () => {
    const { harness, device } = await ready();
    await harness.service.admissions.elsewhere('ticket-1', AT_SOUTH);
    await expect.poll(async () => (await shared(device)).sharing).toBe('together');
    await device.dispose();
    harness.service.admissions.before = lost;
    harness.time.restart();
    const again = await harness.create();
    expect(await attempt(again)).toMatchObject({ ...elsewhere, door: 'South' });
    expect(again.status().sharedAdmissions.sharing).toBe('alone');
  });

  it('is let in by a door that reaches nobody, which says so, tells later, and then learns of the conflict', async () => {
    const { harness, device } = await ready();
    const { admissions } = harness.service;
    admissions.before = lost;
    await admissions.elsewhere('ticket-1', AT_SOUTH);
    expect(await attempt(device)).toMatchObject(alone);
    expect(device.status().sharedAdmissions).toMatchObject({ sharing: 'alone', unsent: 1, conflicts: [] });
    admissions.before = async () => undefined;
    const conflict = { atMs: STARTED_AT, otherAtMs: AT_SOUTH, door: 'South' };
    await expect.poll(async () => (await shared(device)).conflicts).toEqual([conflict]);
    expect(device.status().sharedAdmissions).toMatchObject({ sharing: 'together', unsent: 0 });
    await device.dispose();
    harness.time.restart();
    const again = await harness.create();
    expect(again.status().sharedAdmissions.conflicts).toEqual([conflict]);
    await again.takeBackAdmission('ticket-1');
    await expect.poll(async () => (await shared(again)).conflicts).toEqual([]);
  });

  it('is free everywhere once its admission was taken back', async () => {
    const { harness, device } = await ready();
    const { admissions } = harness.service;
    await attempt(device);
    expect(await device.takeBackAdmission('ticket-1')).toBe('taken-back');
    await expect.poll(() => admissions.of('ticket-1')).toMatchObject({ takenBack: true });
    expect(await attempt(device)).toMatchObject(together);
    await admissions.elsewhere('ticket-2', AT_SOUTH);
    await shared(device);
    expect(await attempt(device, 'ticket-2', 2)).toMatchObject(elsewhere);
    await admissions.elsewhere('ticket-2', AT_SOUTH, true);
    // What the door learnt before is asked about again.
    expect(await attempt(device, 'ticket-2', 2)).toMatchObject(together);
  });

  it('whose claim was answered by nobody is claimed once, however often it is told', async () => {
    const { harness, device } = await ready();
    const { admissions } = harness.service;
    await shared(device);
    admissions.after = lost;
    expect(await attempt(device)).toMatchObject(alone);
    const first = await admissions.of('ticket-1');
    await shared(device);
    admissions.after = async () => undefined;
    await expect.poll(async () => (await shared(device)).unsent).toBe(0);
    expect(await admissions.of('ticket-1')).toEqual(first);
    expect(device.status().sharedAdmissions.conflicts).toEqual([]);
  });

  it('whose claim came to nothing at the door is let in there when it comes again, or freed by staff', async () => {
    const harness = sharing();
    const broken: string[] = [];
    const ports = { ...harness.ports, ...failing(harness.ports, () => broken) };
    const device = await readyDevice({ ...harness, create: () => harness.create({ ports }) });
    const { admissions } = harness.service;
    broken.push('writePage');
    expect(await attempt(device)).toMatchObject({ outcome: 'NoMatch', reason: 'storage-failed' });
    expect(await admissions.of('ticket-1')).toMatchObject({ own: true, takenBack: false });
    broken.length = 0;
    expect(await attempt(device)).toMatchObject(together);
    broken.push('writePage');
    await attempt(device, 'ticket-2', 2);
    broken.length = 0;
    expect(await device.takeBackAdmission('ticket-2')).toBe('not-admitted');
    await expect.poll(() => admissions.of('ticket-2')).toMatchObject({ takenBack: true });
  });

  it('is numbered above all before, also after a restart with a clock that was set back', async () => {
    const { harness, device } = await ready();
    const { claimed } = harness.service.admissions;
    await attempt(device);
    await device.takeBackAdmission('ticket-1');
    await device.dispose();
    harness.time.restart();
    harness.time.setWall(STARTED_AT - 7_200_000);
    const again = await readyDevice(harness);
    await attempt(again);
    expect(claimed).toHaveLength(2);
    expect(claimed[1]).toBeGreaterThan(claimed[0] ?? 0);
  });

  it('is learnt again of another database, which counts from below', async () => {
    const { harness, device } = await ready();
    const { admissions } = harness.service;
    await shared(device);
    admissions.bend = (answer) => ({ ...answer, cursor: answer.cursor + 5 });
    await shared(device);
    admissions.bend = (answer) => answer;
    await admissions.elsewhere('ticket-1', AT_SOUTH);
    admissions.origin = 'second';
    await shared(device);
    admissions.before = lost;
    expect(await attempt(device)).toMatchObject(elsewhere);
  });

  it('waits for nobody for a quarter of a minute after the service did not answer', async () => {
    const { harness, device } = await ready();
    const { admissions } = harness.service;
    admissions.before = lost;
    await attempt(device);
    admissions.before = () => new Promise(() => {});
    expect(await attempt(device, 'ticket-2', 2)).toMatchObject(alone);
    await device.dispose();
  });

  it('waits a second and a half for the service', async () => {
    const { harness, device } = await ready();
    let asked = () => {};
    const asking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    harness.service.admissions.before = () => {
      asked();
      return new Promise(() => {});
    };
    const result = attempt(device);
    await asking;
    await harness.time.advance(1_500);
    expect(await result).toMatchObject(alone);
  });

  it.each([
    ['replayed', { nonce: 'A'.repeat(22) }],
    ['for another device', { deviceId: 'dev_00000000000000000000000000' }],
    ['for another list', { listId: 'lst_00000000000000000000000000' }],
    ['of another kind', { answer: 'sync' as never }],
  ])('is decided alone after an answer that is %s', async (_name, over) => {
    const { harness, device } = await ready();
    await harness.service.admissions.elsewhere('ticket-1', AT_SOUTH);
    harness.service.admissions.bend = (answer) => ({ ...answer, ...over });
    expect(await attempt(device)).toMatchObject(alone);
  });

  it('is decided alone after an answer that somebody else signed', async () => {
    const { harness, device } = await ready();
    await harness.service.admissions.elsewhere('ticket-1', AT_SOUTH);
    harness.service.signingSecret.fill(9);
    expect(await attempt(device)).toMatchObject(alone);
  });

  it('is not asked about where each door decides by itself', async () => {
    for (const over of [{ reEntryScope: 'device' }, { reEntry: 'off' }]) {
      const harness = sharing();
      Object.assign(harness.service, over);
      const device = await readyDevice(harness);
      expect(await attempt(device)).toMatchObject({ outcome: 'Match', admission: { sharing: 'off' } });
      await shared(device);
      expect(harness.service.admissions.answered).toBe(0);
    }
  });

  it('to an ongoing list counts for twelve hours at every door', async () => {
    const { harness, device } = await ready('refuse', null);
    await harness.service.admissions.elsewhere('ticket-1', AT_SOUTH);
    await shared(device);
    expect(await attempt(device)).toMatchObject(elsewhere);
    harness.service.admissions.before = lost;
    await harness.time.advance(ONGOING_WINDOW_MS - 60_001);
    expect(await attempt(device)).toMatchObject(elsewhere);
    await harness.time.advance(1);
    expect(await attempt(device)).toMatchObject(alone);
    harness.service.admissions.before = async () => undefined;
    await expect.poll(async () => (await shared(device)).conflicts).toHaveLength(1);
    await harness.time.advance(ONGOING_WINDOW_MS);
    expect(device.status().sharedAdmissions.conflicts).toEqual([]);
  });

  it('is told to the service in the end, whichever write of its door was the last before a crash', async () => {
    const seen = new Set<string>();
    await atEveryWrite(async (cut) => {
      const { harness, device } = await ready();
      await device.dispose();
      const { admissions } = harness.service;
      admissions.before = lost;
      const { outcome } = await attempt(
        await harness.create({ ports: cut(harness.ports) }).catch(() => harness.create()),
      );
      admissions.before = async () => undefined;
      harness.time.restart();
      const again = await harness.create();
      await expect.poll(async () => (await shared(again)).unsent).toBe(0);
      const told = (await admissions.of('ticket-1'))?.own === true;
      if (outcome === 'Match') expect(told).toBe(true);
      seen.add(`${outcome} ${told}`);
      await again.dispose();
    });
    expect(seen).toContain('Match true');
  });
});
