import { describe, expect, it } from 'vitest';
import { answer, createHarness, type Harness, recorded } from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';
import { atEveryWrite, contentsOf, intercepted } from './testing/watched-stores.ts';

const HOUR = 60 * 60_000;

/** A device at version 2 with one person, before an action that a power cut interrupts. */
async function prepared(): Promise<Harness> {
  const harness = createHarness();
  harness.service.enrol('old', templateOf(1));
  harness.service.retentionDeadline = new Date(harness.time.clock.wallMs() + 10 * HOUR).toISOString();
  harness.service.enrol('short', templateOf(3), harness.time.clock.wallMs() + 2 * HOUR);
  const device = await harness.create();
  expect(await device.syncAsync()).toMatchObject({ ok: true, people: 2 });
  harness.time.restart();
  return harness;
}

/** Runs `deed` with a power cut at each write in turn, and checks the device after the restart. */
const interrupted = (
  deed: (device: Awaited<ReturnType<Harness['create']>>) => Promise<unknown>,
  check: (harness: Harness, where: string) => Promise<void>,
  prepare: (harness: Harness) => Promise<void> | void = () => undefined,
) =>
  atEveryWrite(async (cut, where) => {
    const harness = await prepared();
    await prepare(harness);
    // The power is off, and the program has ended.
    await harness
      .create({ ports: cut(harness.ports) })
      .then(deed)
      .catch(() => undefined);
    harness.time.restart();
    await check(harness, where);
  });

const names = async (harness: Harness) => {
  const { packs, listKeys } = await contentsOf(harness.ports);
  return { packs: Object.keys(packs), listKeys: Object.keys(listKeys) };
};
/** A pack always has its own keys, and keys always have a pack. */
async function expectOneGeneration(harness: Harness, where: string) {
  const { packs, listKeys } = await names(harness);
  expect(listKeys, where).toEqual(packs);
  expect(packs.length, where).toBeLessThanOrEqual(1);
}

describe('a power cut during', () => {
  it.each([
    ['whole', false],
    ['of changes', true],
  ])('a sync %s leaves the old list or the new, and the next sync brings the new', async (_what, sendsDeltas) => {
    const seen = new Set<string>();
    const cuts = await interrupted(
      (device) => device.syncAsync(),
      async (harness, where) => {
        const device = await harness.create();
        await expectOneGeneration(harness, where);
        const [old, added] = [await answer(device, 'old', 1), await answer(device, 'new', 2)];
        const which = device.status().listVersion === 3 ? 'old' : 'new';
        const expected = {
          old: ['Match/verified', 'NotEnrolled/not-on-list'],
          new: ['NotEnrolled/not-on-list', 'Match/verified'],
        };
        expect([old, added], where).toEqual(expected[which]);
        seen.add(which);
        expect(await device.syncAsync(), where).toMatchObject({ ok: true, people: 2 });
        expect(await answer(device, 'new', 2), where).toBe('Match/verified');
        await expectOneGeneration(harness, where);
      },
      ({ service }) => {
        service.sendsDeltas = sendsDeltas;
        service.erase('old');
        service.enrol('new', templateOf(2));
      },
    );
    expect(cuts).toBeGreaterThanOrEqual(10);
    expect(seen).toEqual(new Set(['old', 'new']));
  });

  it('the change after a sync whose store wrote its state but reported a failure', async () => {
    const seen = new Set<number | null>();
    await atEveryWrite(async (cut, where) => {
      const harness = await prepared();
      harness.service.enrol('new', templateOf(2));
      let failures = 0;
      const lying = intercepted(cut(harness.ports), async (name, run) => {
        const result = await run();
        if (name !== 'writeState' || harness.service.requests.length < 2 || failures > 0) return result;
        failures += 1;
        throw new Error('EIO');
      });
      const device = await harness.create({ ports: lying }).catch(() => null);
      await device?.syncAsync();
      await device?.verifyLiveAsync('nobody', recorded([]));
      harness.time.restart();
      const again = await harness.create();
      seen.add(again.status().listVersion);
      expect(await answer(again, 'old', 1), where).toBe('Match/verified');
      await expectOneGeneration(harness, where);
    });
    expect([...seen].sort()).toEqual([3, 4]);
  });

  it('a wipe at the deadline is completed by the restart', async () => {
    const cuts = await interrupted(
      (device) => device.verifyLiveAsync('old', recorded([])),
      async (harness, where) => {
        const device = await harness.create();
        expect(await names(harness), where).toEqual({ packs: [], listKeys: [] });
        expect(await answer(device, 'old', 1), where).toMatch(/^(Expired|LeaseExpired)\//);
      },
      (harness) => harness.time.advance(11 * HOUR),
    );
    expect(cuts).toBeGreaterThanOrEqual(8);
  });

  it('a revocation never leaves keys that were being deleted, and the next sync completes it', async () => {
    const cuts = await interrupted(
      (device) => device.syncAsync(),
      async (harness, where) => {
        const device = await harness.create();
        await expectOneGeneration(harness, where);
        const { listKeys } = await names(harness);
        // A wipe that began is completed after the restart; one that did not is ordered again by the service.
        const before = await answer(device, 'old', 1);
        if (listKeys.length > 0) expect(before, where).toBe('Match/verified');
        else expect(before, where).toMatch(/^LeaseExpired\//);
        const result = await device.syncAsync();
        if (result.ok) expect(result, where).toMatchObject({ outcome: 'wiped', reason: 'device-revoked' });
        else expect(result, where).toEqual({ ok: false, reason: 'erased-for-good' });
        expect(await names(harness), where).toEqual({ packs: [], listKeys: [] });
        expect(await harness.ports.keyStore.hasDeviceKey(), where).toBe(false);
        expect(await answer(device, 'old', 1), where).toBe('LeaseExpired/device-revoked');
      },
      ({ service }) => {
        service.wipe = 'device-revoked';
      },
    );
    expect(cuts).toBeGreaterThanOrEqual(10);
  });

  it('the deletion of a record leaves the pack with it or without it, and the restart deletes it', async () => {
    const cuts = await interrupted(
      (device) => device.verifyLiveAsync('nobody', recorded([])),
      async (harness, where) => {
        const device = await harness.create();
        expect(device.status().people, where).toBe(1);
        expect(await answer(device, 'short', 3), where).toBe('NotEnrolled/not-on-list');
        expect(await answer(device, 'old', 1), where).toBe('Match/verified');
        await expectOneGeneration(harness, where);
      },
      (harness) => harness.time.advance(3 * HOUR),
    );
    expect(cuts).toBeGreaterThanOrEqual(8);
  });
});
