import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { expect, test } from '../support/browser-test.ts';
import { Films } from '../support/page-camera.ts';
import { rightPerson } from '../support/scenarios.ts';
import { expectResult, KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';

test('the kiosk without its camera', { tag: '@long' }, async () => {
  const started = await startKioskService();
  const browser = await launchChromium('--use-fake-device-for-media-stream');

  await test.step('reports that it is blocked, still takes tickets by reader, and notices when it is allowed', async () => {
    const context = await browser.newContext();
    const kiosk = await KioskPage.open(context, started.url, { camera: 'of-the-browser' });
    await kiosk.pair(await started.newToken());
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
  });

  await test.step('ends an attempt whose camera is unplugged, and continues with the next one', async () => {
    const films = new Films();
    const kiosk = await KioskPage.open(await browser.newContext(), started.url);
    await kiosk.pair(await started.newToken());
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    await kiosk.show(await films.of({ ...rightPerson.visitor, turns: 'not-at-all' }));
    await kiosk.scan(rightPerson.scannedId);
    await kiosk.page.locator('[data-prompt="turn-head"]').waitFor();
    await kiosk.unplugCamera();
    const shown = await kiosk.result();
    expectResult(shown, { ...rightPerson, mustBe: ['ChallengeFailed'] });
    expect(shown.text).toContain('The camera is not responding');
    await kiosk.page.keyboard.press('Enter');
    await kiosk.page.getByText('No camera was found.').waitFor();
    expectResult(await kiosk.visit(films, rightPerson), rightPerson);
  });

  await browser.close();
  await started.close();
});
