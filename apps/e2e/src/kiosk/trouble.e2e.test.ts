import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KioskPage } from './kiosk-page.ts';
import { type KioskService, startKioskService } from './kiosk-service.ts';
import { expectResult, rightPerson, visit } from './scenarios.ts';
import { Films } from './virtual-camera.ts';

const WHOLE_JOURNEY_MS = 300_000;

describe.skipIf(chromiumPath === undefined)('the kiosk in trouble', { timeout: WHOLE_JOURNEY_MS }, () => {
  let started: KioskService;
  let browser: Browser;
  const films = new Films();
  const inEnglish = { locale: 'en-GB', reducedMotion: 'reduce' } as const;

  beforeAll(async () => {
    started = await startKioskService();
    // The browser's own camera, without permission.
    browser = await launchChromium('--use-fake-device-for-media-stream');
  }, WHOLE_JOURNEY_MS);

  afterAll(async () => {
    await browser?.close();
    await started?.close();
  }, WHOLE_JOURNEY_MS);

  it('reports a blocked camera, still takes tickets by reader, and notices when it is allowed', async () => {
    const context = await browser.newContext(inEnglish);
    const kiosk = await KioskPage.open(context, started.service.api.url, { camera: 'of-the-browser' });
    await kiosk.pair(started.deviceToken);
    await kiosk.press('Start check-in');
    const blocked = kiosk.page.getByText('The camera is blocked.');
    await blocked.waitFor();
    await kiosk.scan(rightPerson.scannedId);
    const shown = await kiosk.result();
    expectResult(shown, { ...rightPerson, mustBe: ['NoFace'] });
    expect(shown.text).toContain('The camera is blocked.');
    await kiosk.page.keyboard.press('Enter');
    await blocked.waitFor();
    await context.grantPermissions(['camera']);
    await blocked.waitFor({ state: 'detached' });
    expect(kiosk.complaints).toEqual([]);
    await context.close();
  });

  it('ends an attempt whose camera is unplugged, and continues with the next one', async () => {
    const context = await browser.newContext(inEnglish);
    const kiosk = await KioskPage.open(context, started.service.api.url);
    await kiosk.pair(await started.addDevice());
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    await kiosk.show(await films.of({ ...rightPerson.filmed, turns: 'not-at-all' }));
    await kiosk.scan(rightPerson.scannedId);
    await kiosk.page.locator('[data-prompt="turn-head"]').waitFor();
    await kiosk.unplugCamera();
    const shown = await kiosk.result();
    expectResult(shown, { ...rightPerson, mustBe: ['ChallengeFailed'] });
    expect(shown.text).toContain('The camera is not responding.');
    await kiosk.page.keyboard.press('Enter');
    await kiosk.page.getByText('No camera was found.').waitFor();
    expectResult(await visit(kiosk, films, rightPerson), rightPerson);
    await context.close();
  });

  it('runs in one tab at a time', async () => {
    const context = await browser.newContext(inEnglish);
    const first = await KioskPage.open(context, started.service.api.url);
    await first.pair(await started.addDevice());
    const second = await KioskPage.open(context, started.service.api.url);
    await second.screen('stopped');
    await second.page.getByText('another tab or window').waitFor();
    await second.press('Try again');
    await second.screen('stopped');
    await first.page.close();
    await second.press('Try again');
    await second.screen('scan');
    expect(second.complaints).toEqual([]);
    await context.close();
  });
});
