import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { countKernelCalls, type KernelCalls } from '@svc/core/testing';
import { canaryOf, templateCanaries } from '../enrolment/canaries.ts';
import { expect, test } from '../support/browser-test.ts';
import { slowed } from '../support/page-camera.ts';
import { isSync, startRecorder, strayRequests } from '../wire/recorder.ts';
import type { DoorPage } from './page.ts';
import { atDoor, startWebDoor } from './web-door.ts';

/** The page's files: the page, and the folder of the engine. */
const isOwnFile = (target: string) => /^\/(page\.js|assets\/[\w./-]+)?$/.test(target);

// In `npm test` the kiosk's life has such a device.
test('a device in Chromium, offline too', { tag: '@long' }, async () => {
  const at = await startWebDoor();
  const template = await at.service.templateOf(at.listId, 'ticket-of-anna');
  const recorder = await startRecorder(at.site.url);
  const browser = await launchChromium(...recorder.browserArguments);
  const context = await browser.newContext();
  const page = await context.newPage();
  await slowed(page, 4);
  await page.addInitScript(countKernelCalls);
  const door = <T>(action: (door: DoorPage) => Promise<T> | T): Promise<T> => atDoor(page, action);

  /** Calls to the page's core since it was loaded. */
  const coreCalls = (): Promise<KernelCalls> => page.evaluate('globalThis.svcKernelCalls');

  await test.step('knows nobody at first, then syncs', async () => {
    expect(await at.open(page, at.device.token)).toMatchObject({ ready: false, notReady: { reason: 'never-synced' } });
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 0 });
    expect(await door((device) => device.sync())).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    // The check record.
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 1 });
  });

  await test.step('lets the guest in who turns as asked, without a network', async () => {
    await context.setOffline(true);
    expect(await door((device) => device.sync())).toEqual({ ok: false, reason: 'offline' });
    const { outcome, reason, prompts } = await door((device) => device.visit('ticket-of-anna'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    // The guest's record is opened in the core; an unknown person has none.
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 2 });
    expect(await door((device) => device.visit('ticket-of-nobody'))).toMatchObject({ reason: 'not-on-list' });
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 2 });
    await context.setOffline(false);
  });

  await test.step('continues after a reload, without closing the former page properly', async () => {
    expect(await at.open(page, at.device.token)).toMatchObject({ ready: true, people: 1 });
  });

  await test.step('wipes itself when it is revoked, and is deleted on request', async () => {
    await at.service.revoke(at.listId, at.device.id);
    expect(await door((device) => device.sync())).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    await door((device) => device.dispose());
    await door((device) => device.forget());
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  });

  await test.step('has sent nothing but syncs and requests for its own files, workers included', () => {
    const allowed = { isStatic: isOwnFile, deviceTokens: [at.device.token] };
    const canaries = [
      ...templateCanaries('template', template),
      canaryOf('scanned ID', Buffer.from('ticket-of-anna')),
      canaryOf('unknown ID', Buffer.from('ticket-of-nobody')),
    ];
    const { requests } = recorder;
    const syncs = requests.filter(isSync);
    // The one that filled the list, and the one that wiped it; another found no network.
    expect(syncs).toHaveLength(2);
    expect(requests.filter(({ target }) => target.startsWith('/assets/')).length).toBeGreaterThan(0);
    expect(strayRequests(requests, allowed, canaries)).toEqual([]);
  });

  await browser.close();
  await recorder.close();
  await at.close();
});
