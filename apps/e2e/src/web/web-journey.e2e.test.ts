import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { countKernelCalls, type KernelCalls } from '@svc/core/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryOf, templateCanaries } from '../enrolment/canaries.ts';
import { changeSigningKey } from '../support/change-signing-key.ts';
import { isSync, type Recorder, startRecorder, strayRequests } from '../wire/recorder.ts';
import { type EnrolledDoor, startEnrolledDoor } from './enrolled-door.ts';
import type { DoorPage } from './page.ts';
import { atDoor, slowed } from './web-door.ts';

const JOURNEY_MS = 240_000;
/**
 * How much faster the world is than the page's clock, so that a busy machine has enough of the attempt's ten seconds.
 */
const SLOWED = 4;
const guestId = 'ticket-of-anna-4711';
const unknownId = 'ticket-of-nobody-4712';
/** The page's files: the page, the folder of the engine, and the visitor's pictures. */
const isOwnFile = (target: string) => /^\/(page\.js|assets\/[\w./-]+|frames\/[\w-]+\.jpg)?$/.test(target);

describe.skipIf(chromiumPath === undefined)('a device in Chromium, offline too', { timeout: JOURNEY_MS }, () => {
  let at: EnrolledDoor;
  let recorder: Recorder;
  let template: Float32Array;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const door = <T>(action: (door: DoorPage) => Promise<T> | T): Promise<T> => atDoor(page, action);

  beforeAll(async () => {
    at = await startEnrolledDoor({ guestId });
    template = await at.service.templateOf(at.listId, guestId);
    recorder = await startRecorder(at.site.url);
    browser = await launchChromium(...recorder.browserArguments);
    context = await browser.newContext();
    page = await context.newPage();
    await slowed(page, SLOWED);
    await page.addInitScript(countKernelCalls);
  }, JOURNEY_MS);

  afterAll(async () => {
    await browser?.close();
    await recorder?.close();
    await at?.close();
  }, JOURNEY_MS);

  /** Calls to the page's core since it was loaded. */
  const coreCalls = (): Promise<KernelCalls> => page.evaluate('globalThis.svcKernelCalls');

  it('goes by its settings', async () => {
    const status = await at.open(page, at.device.token, { lightChallenge: 'when-possible', maxSyncBytes: 64 });
    expect(status.protections.light).toBe('when-possible');
    expect(await door((device) => device.sync())).toEqual({ ok: false, reason: 'too-long' });
  });

  it('knows nobody at first, then syncs', async () => {
    expect(await at.open(page, at.device.token)).toMatchObject({ ready: false, notReady: { reason: 'never-synced' } });
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 0 });
    expect(await door((device) => device.sync())).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    // The check record.
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 1 });
    // If both engines are installed, the preferred one is not the list's.
    const status = await door((device) => device.status());
    expect(status?.engineIds).toEqual(
      !at.hasAddOn ? ['dlib-resnet-128-mirror/1'] : ['retail-0095-mirror/3', 'dlib-resnet-128-mirror/1'],
    );
    expect(status?.engineMismatch).toBe(false);
  });

  it('lets the guest in who turns as asked', async () => {
    const { outcome, reason, prompts } = await door((device) => device.visit('ticket-of-anna-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    // The guest's record is opened in the core; an unknown person has none.
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 2 });
    expect(await door((device) => device.visit('ticket-of-nobody-4712'))).toMatchObject({ reason: 'not-on-list' });
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 2 });
  });

  it('refuses nobody while the service’s signing key changes, nor in a page with the former key pinned', async () => {
    const goesOn = async () => {
      expect(await door((device) => device.sync())).toMatchObject({ ok: true });
      const { outcome, reason } = await door((device) => device.visit('ticket-of-anna-4711'));
      expect(`${outcome}/${reason}`).toBe('Match/verified');
    };
    const pinned = at.service.api.admin.region().signingKey;
    const beside = await at.service.customer.request<EnrolledDoor['device']>('POST', `/v1/lists/${at.listId}/devices`);
    await changeSigningKey(at.service.api, beside.body.token, goesOn);
    expect(at.service.api.admin.region().signingKey).toBe(pinned);
    await at.open(page, at.device.token);
    await goesOn();
  });

  it('does so offline', async () => {
    await context.setOffline(true);
    expect(await door((device) => device.sync())).toEqual({ ok: false, reason: 'offline' });
    const { outcome, reason } = await door((device) => device.visit('ticket-of-anna-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    await context.setOffline(false);
  });

  it('continues after a reload, without closing the former page properly', async () => {
    expect(await at.open(page, at.device.token)).toMatchObject({ ready: true, people: 1 });
  });

  it('wipes itself when it is revoked, and is deleted on request', async () => {
    await at.service.customer.request('DELETE', `/v1/lists/${at.listId}/devices/${at.device.id}`);
    expect(await door((device) => device.sync())).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    await door((device) => device.dispose());
    await door((device) => device.forget());
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  });

  it('has sent nothing but syncs and requests for its own files, workers included', () => {
    const allowed = { isStatic: isOwnFile, deviceTokens: [at.device.token] };
    const canaries = [
      ...templateCanaries('template', template),
      canaryOf('scanned ID', Buffer.from(guestId)),
      canaryOf('unknown ID', Buffer.from(unknownId)),
    ];
    const { requests } = recorder;
    const syncs = requests.filter(isSync);
    // One too long for the settings, the one that filled the list, five while the key changed, and the one that wiped
    // it; another found no network.
    expect(syncs).toHaveLength(8);
    expect(requests.filter(({ target }) => target.startsWith('/assets/')).length).toBeGreaterThan(0);
    expect(strayRequests(requests, allowed, canaries)).toEqual([]);
    const tampered = syncs.slice(0, 1).map((sync) => ({ ...sync, body: Buffer.from(template.buffer) }));
    expect(strayRequests(tampered, allowed, canaries)).toEqual(
      expect.arrayContaining([expect.stringMatching(/holds template f32$/)]),
    );
  });
});
