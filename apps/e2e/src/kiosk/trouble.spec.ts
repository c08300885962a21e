import type { BrowserContext } from '@playwright/test';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { test as base, expect } from '../support/browser-test.ts';
import { KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';
import { expectResult, rightPerson, visit } from './scenarios.ts';
import { Films } from './virtual-camera.ts';

/** Kiosks of one service, in browsers with a camera of their own but without permission. */
interface Kiosks {
  readonly context: BrowserContext;
  open(camera?: 'virtual' | 'of-the-browser'): Promise<KioskPage>;
  newToken(): Promise<string>;
}

const test = base.extend<{ readonly kiosks: Kiosks }>({
  async kiosks({ browserName: _ }, use) {
    const started = await startKioskService();
    const browser = await launchChromium('--use-fake-device-for-media-stream');
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    await use({
      context,
      open: (camera) => KioskPage.open(context, started.service.api.url, camera && { camera }),
      newToken: () => started.addDevice(),
    });
    await browser.close();
    await started.close();
  },
});
const films = new Films();

test.describe('the kiosk in trouble', { tag: '@long' }, () => {
  test('reports a blocked camera, still takes tickets by reader, and notices when it is allowed', async ({
    kiosks,
  }) => {
    const kiosk = await kiosks.open('of-the-browser');
    await kiosk.pair(await kiosks.newToken());
    await kiosk.press('Start check-in');
    const blocked = kiosk.page.getByText('The camera is blocked.');
    await blocked.waitFor();
    await kiosk.scan(rightPerson.scannedId);
    const shown = await kiosk.result();
    expectResult(shown, { ...rightPerson, mustBe: ['NoFace'] });
    expect(shown.text).toContain('The camera is blocked.');
    await kiosk.page.keyboard.press('Enter');
    await blocked.waitFor();
    await kiosks.context.grantPermissions(['camera']);
    await blocked.waitFor({ state: 'detached' });
    expect(kiosk.complaints).toEqual([]);
  });

  test('ends an attempt whose camera is unplugged, and continues with the next one', async ({ kiosks }) => {
    const kiosk = await kiosks.open();
    await kiosk.pair(await kiosks.newToken());
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
  });

  test('runs in one tab at a time', async ({ kiosks }) => {
    const first = await kiosks.open();
    await first.pair(await kiosks.newToken());
    const second = await kiosks.open();
    await second.screen('stopped');
    await second.page.getByText('another tab or window').waitFor();
    await second.press('Try again');
    await second.screen('stopped');
    await first.page.close();
    await second.press('Try again');
    await second.screen('scan');
    expect(second.complaints).toEqual([]);
  });
});
