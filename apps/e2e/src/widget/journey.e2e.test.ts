import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { renderedCamera } from '@svc/benchmarks/inputs/rendered-camera';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDoorway } from '../device/door.ts';
import { type FakeCamera, installFakeCamera } from './fake-camera.ts';
import { agree, screenOf, sendPhoto } from './guest.ts';
import { PATIENCE_MS, startWidgetHarness, type WidgetHarness } from './harness.ts';
import { guestSeed, sceneJpeg } from './scenes.ts';

const WHOLE_JOURNEY_MS = 300_000;

/** Fetched while the guest reads the consent. */
const isOfCamera = (address: string): boolean => /\/assets\/(capture|engine)/.test(address);

// Nothing is scripted: the built page, the service’s own engine, a device at the door.
describe.skipIf(chromiumPath === undefined)('a guest who enrols before a camera', { timeout: WHOLE_JOURNEY_MS }, () => {
  let harness: WidgetHarness;
  let browser: Browser;

  beforeAll(async () => {
    harness = await startWidgetHarness({ inference: 'models' });
    browser = await launchChromium();
  }, WHOLE_JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  }, WHOLE_JOURNEY_MS);

  it('is photographed automatically, enrolled, and let in at the door', async () => {
    const { token, tokenId, ticketId } = await harness.token();
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await context.addInitScript(installFakeCamera, {});
    const page = await context.newPage();
    // The photo is taken when the engine runs and has seen several pictures, on any machine.
    page.setDefaultTimeout(4 * PATIENCE_MS);
    const fetched: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });

    await page.goto(harness.guestLink(token));
    await screenOf(page, 'consent').waitFor();
    await expect.poll(() => fetched.findIndex(isOfCamera), { timeout: PATIENCE_MS }).toBeGreaterThan(-1);
    expect(fetched.findIndex(isOfCamera)).toBeGreaterThan(
      fetched.findIndex((address) => address.includes('/v1/widget/')),
    );

    await page.evaluate(
      (jpeg) => (globalThis as unknown as { fakeCamera: FakeCamera }).fakeCamera.show(jpeg),
      await sceneJpeg('good'),
    );
    await agree(page);
    await screenOf(page, 'check').waitFor();
    // The camera is off while the guest checks the photo.
    expect(await page.evaluate(() => (globalThis as unknown as { fakeCamera: FakeCamera }).fakeCamera.lit())).toEqual(
      [],
    );
    expect(fetched.filter((address) => address.includes('face-embedding'))).toEqual([]);
    await sendPhoto(page);
    await screenOf(page, 'done').waitFor();
    expect(complaints).toEqual([]);
    await context.close();

    expect(await harness.enrolled()).toEqual([ticketId]);
    expect((await harness.tokenState(tokenId)).state).toBe('used');

    const doorway = await openDoorway();
    const region = { baseUrl: harness.api.url, signingKeys: [harness.api.admin.region().signingKey] };
    const added = await harness.customer.request<{ token: string }>(
      'POST',
      `/v1/lists/${harness.stage.listId}/devices`,
    );
    const device = await doorway.openDevice(added.body.token, region, 'gate');
    try {
      expect(await device.syncAsync()).toMatchObject({ ok: true, people: 1 });
      const visit = await device.verifyLiveAsync(ticketId, renderedCamera({ seed: guestSeed }, { fps: 6 }));
      expect(visit.outcome).toBe('Match');
    } finally {
      await device.dispose();
      await doorway.close();
    }
  });
});
