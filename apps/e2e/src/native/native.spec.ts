import { randomBytes } from 'node:crypto';
import { canaryOf, foundIn } from '../enrolment/canaries.ts';
import { keyNeedle, searchProcess } from '../memory/needles.ts';
import { axeViolations } from '../support/axe.ts';
import { expect, test } from '../support/browser-test.ts';
import { guests } from '../support/guests.ts';
import { NativeDoor } from './native-door.ts';

const DAY = 24 * 60 * 60_000;

test('the page of a native shell in Chromium', { tag: '@long' }, async () => {
  const door = await NativeDoor.open();

  await test.step('greets, is configured and syncs over the shell', async () => {
    await door.load();
    const { status } = await door.configure();
    expect(status).toMatchObject({ ready: false, notReady: { reason: 'never-synced' }, core: 'simd' });
    expect(await door.outcome()).toBe('LeaseExpired/never-synced');
    expect(await door.sync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(door.shell.statuses.at(-1)).toMatchObject({ ready: true, people: 1 });
    expect(Math.abs((door.shell.eraseAtMs ?? 0) - Date.now() - 30 * DAY)).toBeLessThan(60_000);
  });

  await test.step('lets the guest in who turns as asked, and shows what to do', async () => {
    await door.show({ seed: guests.anna });
    const asked = door.outcome();
    expect(await door.page.locator('[data-prompt="turn-head"] .prompt-words').textContent()).toMatch(
      /^Turn your head to your (left|right)$/,
    );
    expect(await asked).toBe('Match/verified');
    const keys = door.shell.prompts.map((prompt) => prompt?.key ?? null);
    expect(keys).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished', null]));
    expect(await door.page.locator('main').isHidden()).toBe(true);
  });

  await test.step('has no key of the shell in a message or in its storage', async () => {
    const keys = await door.keys();
    expect(keys.map(({ name }) => name).sort()).toEqual(['device-key.pkcs8', 'list-keys.1 4', 'mac.key']);
    const said = Buffer.from(door.texts.join('\n'));
    const canaries = keys.map(({ name, bytes }) => canaryOf(name, bytes));
    // The public key, which is told, is found.
    const told = Buffer.from(/"publicKey":"([\w-]+)"/.exec(said.toString())?.[1] ?? '', 'base64url');
    expect(foundIn(said, [...canaries, canaryOf('public key', told)])).toEqual(['public key']);
    expect(await door.page.evaluate('indexedDB.databases()')).toEqual([]);
    expect(await door.page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  });

  await test.step('asked nothing of the network, and broke no rule', () => {
    expect(door.complaints).toEqual([]);
  });

  await test.step('may not run code from text, nor reach another origin', async () => {
    const refused = await door.page.evaluate(async () => {
      const thrown = (error: unknown) => (error instanceof Error ? error.name : String(error));
      const run = () => {
        try {
          // biome-ignore lint/security/noGlobalEval: it has to be refused
          globalThis.eval('1');
          return 'ran';
        } catch (error) {
          return thrown(error);
        }
      };
      // Later, because what a debugger evaluates is free of the policy.
      const code = await new Promise<string>((resolve) => {
        setTimeout(() => resolve(run()));
      });
      return `${code}, ${await fetch('https://faces.example/').then(() => 'reached', thrown)}`;
    });
    expect(refused).toBe('EvalError, TypeError');
    // Both are reported to the console.
    await expect.poll(() => door.complaints.length).toBeGreaterThanOrEqual(1);
  });

  await door.close();
});

test('the page of a native shell at the door', { tag: '@long' }, async () => {
  const door = await NativeDoor.open();
  await door.load();
  await door.configure();
  await door.sync();

  await test.step('fits a screen of 320 px in a script from right to left, and breaks no rule that axe knows', async () => {
    await door.reopen();
    await door.page.setViewportSize({ width: 320, height: 568 });
    await door.load();
    await door.configure({ language: 'ar-EG' });
    await door.show({ seed: guests.anna, turns: 'not-at-all' });
    const asked = door.verify();
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

  await test.step('has no key of the shell in the memory of its renderer', async () => {
    await door.show({ seed: guests.anna });
    expect(await door.outcome()).toBe('Match/verified');
    const keys = await door.keys();
    expect(keys).toHaveLength(3);
    // What the page does hold, so that the search is seen to find it.
    const control = randomBytes(32);
    await door.page.evaluate((bytes) => Object.assign(globalThis, { control: Uint8Array.from(bytes) }), [...control]);
    const needles = [...keys.map(({ name, bytes }) => keyNeedle(name, bytes)), keyNeedle('control', control)];
    const searches = await Promise.all((await door.renderers()).map((pid) => searchProcess(pid, needles)));
    expect(Math.max(...searches.map(({ bytes }) => bytes))).toBeGreaterThan(10 * 2 ** 20);
    expect(searches.flatMap(({ found }) => found)).toEqual(['control']);
  });

  await test.step('goes on after its renderer has ended during an attempt, offline too', async () => {
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

  await door.close();
});

test('behind Android’s port it speaks as on iOS', { tag: '@long' }, async () => {
  const door = await NativeDoor.open('android');
  await door.load();
  await door.configure();
  expect(await door.sync()).toMatchObject({ ok: true, people: 1 });
  expect(await door.outcome('ticket-of-nobody')).toMatch(/^NotEnrolled/);
  expect(door.complaints).toEqual([]);
  await door.close();
});
