import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { scan } from '../memory/child.ts';
import { keyNeedle, writeNeedles } from '../memory/needles.ts';
import { axeViolations } from '../support/gallery.ts';
import { NativeDoor } from './native-door.ts';

const JOURNEY_MS = 1_800_000;
const DAY = 24 * 60 * 60_000;

describe.skipIf(chromiumPath === undefined)('at the door, the page', { timeout: JOURNEY_MS }, () => {
  let door: NativeDoor;

  beforeAll(async () => {
    door = await NativeDoor.open();
    await door.load();
    await door.configure();
    await door.sync();
  }, JOURNEY_MS);

  afterAll(() => door?.close(), JOURNEY_MS);

  it('gives the other results too', async () => {
    expect(await door.outcome('ticket-of-nobody')).toBe('NotEnrolled/not-on-list');
    await door.show({ seed: guests.chloe, turns: 'not-at-all' });
    expect(await door.outcome()).toMatch(/^NoMatch\//);
    await door.show({ seed: guests.anna, kind: 'nobody' });
    expect(await door.outcome()).toBe('NoFace/no-face');
    await door.show({ seed: guests.anna, turns: 'wrong-way' });
    expect(await door.outcome()).toBe('ChallengeFailed/wrong-way');
    if (door.hasPassive) {
      await door.show({ seed: guests.anna, kind: 'replay' });
      expect(await door.outcome()).toMatch(/^LivenessFailed\//);
    }
  });

  it('fits a screen of 320 px in a script from right to left, and breaks no rule that axe knows', async () => {
    await door.reopen();
    await door.page.setViewportSize({ width: 320, height: 568 });
    await door.load();
    await door.configure({ language: 'ar-EG' });
    await door.show({ seed: guests.anna, turns: 'not-at-all' });
    const attempt = door.newAttempt();
    const asked = door.verify('ticket-of-anna', attempt);
    await door.page.locator('[data-prompt="turn-head"]').waitFor();
    expect(await axeViolations(door.page)).toEqual([]);
    const found = await door.page.evaluate(() => ({
      dir: document.documentElement.dir,
      fits: document.documentElement.scrollWidth <= 320 && document.documentElement.scrollHeight <= 568,
      target: document.querySelector('.button[data-action="cancel"]')?.getBoundingClientRect().height ?? 0,
    }));
    expect(found).toMatchObject({ dir: 'rtl', fits: true });
    expect(found.target).toBeGreaterThanOrEqual(44);
    await door.page.locator('.button[data-action="cancel"]').click();
    expect(await asked).toMatchObject({ outcome: 'ChallengeFailed', reason: 'cancelled' });
  });

  it('has no key of the shell in the memory of its renderer', async () => {
    await door.show({ seed: guests.anna });
    expect(await door.outcome()).toBe('Match/verified');
    const keys = await door.keys();
    expect(keys).toHaveLength(3);
    // What the page does hold, so that the search is seen to find it.
    const control = randomBytes(32);
    await door.page.evaluate((bytes) => Object.assign(globalThis, { control: Uint8Array.from(bytes) }), [...control]);
    const folder = await mkdtemp(join(tmpdir(), 'svc-needles-'));
    try {
      const needles = join(folder, 'needles');
      writeNeedles(needles, [...keys.map(({ name, bytes }) => keyNeedle(name, bytes)), keyNeedle('control', control)]);
      const scans = await Promise.all((await door.renderers()).map((pid) => scan(needles, { pid })));
      expect(Math.max(...scans.map(({ bytes }) => bytes))).toBeGreaterThan(10 * 2 ** 20);
      expect(scans.flatMap(({ found }) => found.map(({ name }) => name))).toEqual(['control']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('goes on after its renderer has ended during an attempt, offline too', async () => {
    await door.show({ seed: guests.anna });
    const asked = door.outcome().catch((error: { code?: string }) => error.code);
    await door.page.locator('[data-prompt="turn-head"]').waitFor();
    await door.reopen();
    await door.load();
    expect(await asked).toBe('renderer-gone');
    await door.configure();
    await door.show({ seed: guests.anna });
    expect(await door.outcome()).toBe('Match/verified');
  });

  it('ends at the deadline: the page deletes what is due', async () => {
    await door.reopen(31 * DAY);
    await door.load();
    const { status } = await door.configure();
    expect(status).toMatchObject({ ready: false, erased: 'no-sync-30-days', people: 0 });
    expect((await door.keys()).map(({ name }) => name)).toEqual(['mac.key']);
  });
});

describe.skipIf(chromiumPath === undefined)('the page behind Android’s port', { timeout: JOURNEY_MS }, () => {
  let door: NativeDoor;

  beforeAll(async () => {
    door = await NativeDoor.open('android');
  }, JOURNEY_MS);

  afterAll(() => door?.close(), JOURNEY_MS);

  it('speaks as on iOS, is erased by its shell’s guard, and wiped by the service', async () => {
    await door.load();
    await door.configure();
    expect(await door.sync()).toMatchObject({ ok: true, people: 1 });
    await door.reopen();
    // The guard’s time came while no page ran.
    await door.shell.erase();
    await door.load();
    expect((await door.configure()).status).toMatchObject({ people: 0, notReady: { reason: 'state-untrusted' } });
    expect(await door.sync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    // The list is due: told once, and deleted by the same scan.
    await door.page.evaluate((ms) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + ms;
    }, 25 * DAY);
    expect(await door.verify()).toMatchObject({ outcome: 'Expired' });
    expect((await door.keys()).map(({ name }) => name)).not.toContainEqual(expect.stringMatching(/^list/));
    await door.reopen();
    await door.load();
    await door.configure();
    expect(await door.sync()).toMatchObject({ ok: true, people: 1 });
    await door.service.customer.request('DELETE', `/v1/lists/${door.listId}/devices/${door.added.id}`);
    expect(await door.sync()).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    expect((await door.keys()).map(({ name }) => name)).toEqual(['mac.key']);
    expect(door.shell.eraseAtMs).toBeNull();
    expect(door.complaints).toEqual([]);
  });
});

/** Messages of a page that is configured and syncs, about; the page ends at each of them in turn. */
const MOST_MESSAGES = 200;

describe.skipIf(chromiumPath === undefined)('a renderer that ends', { timeout: JOURNEY_MS }, () => {
  let door: NativeDoor;

  beforeAll(async () => {
    door = await NativeDoor.open();
  }, JOURNEY_MS);

  afterAll(() => door?.close(), JOURNEY_MS);

  it('at any message of its start and its sync leaves the old list or the new one, and the next page goes on', async () => {
    let isDone = false;
    for (let nth = 1; nth < MOST_MESSAGES && !isDone; nth += 1) {
      await door.reopen();
      await door.load();
      const { ended } = door.crashAt(nth);
      const dialogue = door
        .configure()
        .then(() => door.sync())
        .then(
          () => 'done',
          () => 'failed',
        );
      isDone = (await Promise.race([ended, dialogue])) === 'done';
      await door.reopen();
      await door.load();
      const { status } = await door.configure();
      expect(status.people, `message ${nth}`).toBeLessThanOrEqual(1);
      expect(await door.sync(), `message ${nth}`).toMatchObject({ ok: true, people: 1 });
      expect(
        (await door.keys()).filter(({ name }) => name.startsWith('list-keys')),
        `message ${nth}`,
      ).toHaveLength(1);
    }
    expect(isDone).toBe(true);
  });
});
