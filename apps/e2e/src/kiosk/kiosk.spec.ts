import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { canaryOf, templateCanaries } from '../enrolment/canaries.ts';
import { expect, test } from '../support/browser-test.ts';
import { drawCode } from '../support/codes.ts';
import { Films } from '../support/page-camera.ts';
import { rightPerson } from '../support/scenarios.ts';
import { isSync, startRecorder, strayRequests } from '../wire/recorder.ts';
import { expectResult, KioskPage, PIN } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';

test('the life of a kiosk from the first visit of its page to the end', async () => {
  const started = await startKioskService();
  const deviceToken = await started.newToken();
  const template = await started.templateOf(started.listId, 'ticket-of-anna');
  const recorder = await startRecorder(started.api.url);
  const browser = await launchChromium(...recorder.browserArguments);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const kiosk = await KioskPage.open(context, started.api.url);
  const films = new Films();

  await test.step('refuses a mistyped token, and is paired by the token alone', async () => {
    const { page } = kiosk;
    await kiosk.screen('pair');
    await page.getByLabel('Device token').focus();
    await page.keyboard.insertText(deviceToken.slice(0, -1));
    await page.keyboard.press('Enter');
    await page.getByText('a character may be missing').waitFor();
    await page.keyboard.press('Control+A');
    await kiosk.pair(deviceToken);
    expect(await page.locator('.svc-facts').textContent()).toContain('People on the list2');
  });

  await test.step('is stored for use without a network', async () => {
    await kiosk.isOfflineReady();
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
  });

  await test.step('lets in a person who turns as asked', async () => {
    expectResult(await kiosk.visit(films, rightPerson), rightPerson);
    await kiosk.page.keyboard.press('Enter');
    await kiosk.screen('scan');
  });

  await test.step('reads a code that is held before the camera, once', async () => {
    await kiosk.hold(await drawCode('ticket-of-nobody-held'));
    expect((await kiosk.result()).outcome).toBe('NotEnrolled');
    await kiosk.page.keyboard.press('Enter');
    await kiosk.screen('scan');
    await kiosk.hold(null);
    expect(await kiosk.page.locator('[data-screen="scan"]').count()).toBe(1);
  });

  await test.step('takes over a new version only while it is idle', async () => {
    await kiosk.mark();
    await kiosk.show(await films.of({ ...rightPerson.visitor, turns: 'not-at-all' }));
    await kiosk.scan(rightPerson.scannedId);
    await kiosk.screen('attempt');
    started.changeVersion();
    await kiosk.fetchUpdate();
    expect(await kiosk.isMarked()).toBe(true);
    // Both leave this screen; on a slow machine the attempt is over by now.
    await kiosk.page.keyboard.press('Escape');
    await expect.poll(() => kiosk.isMarked().catch(() => true)).toBe(false);
    await kiosk.screen('scan');
  });

  await test.step('continues when the service is gone and the page is reloaded, also with a typed ID', async () => {
    // Also waits for what belongs to the reload after the new version.
    await kiosk.isOfflineReady();
    await started.api.running.close();
    await kiosk.page.reload();
    await kiosk.screen('scan');
    await kiosk.page.getByText(/^Offline\. Check.in continues until \w/).waitFor({ timeout: 60_000 });
    await kiosk.press('Type the ID instead');
    // The field takes the focus when it is painted.
    await kiosk.page.locator('.typed-id input:focus').waitFor();
    await kiosk.page.keyboard.type('ticket-of-nobody');
    await kiosk.page.keyboard.press('Enter');
    expect((await kiosk.result()).outcome).toBe('NotEnrolled');
    await kiosk.page.keyboard.press('Escape');
  });

  await test.step('has requested no other host, run no foreign script, and stored no readable ID or token', async () => {
    expect(kiosk.complaints).toEqual([]);
    const stored = await kiosk.page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(stored).not.toMatch(/svcd_|ticket-of/);
  });

  await test.step('has sent nothing but syncs and requests for its own files, workers included', () => {
    const allowed = {
      isStatic: (target: string) => target.startsWith('/kiosk/'),
      isCheck: (target: string) => target === '/healthz',
      deviceTokens: [deviceToken],
    };
    const canaries = [
      ...templateCanaries('template', template),
      canaryOf('scanned ID', Buffer.from('ticket-of-anna')),
      canaryOf('unknown ID', Buffer.from('ticket-of-nobody')),
    ];
    const { requests } = recorder;
    const syncs = requests.filter(isSync);
    expect(syncs.length).toBeGreaterThan(0);
    expect(requests.length).toBeGreaterThan(syncs.length);
    expect(strayRequests(requests, allowed, canaries)).toEqual([]);
  });

  await test.step('deletes everything when it is unpaired', async () => {
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await kiosk.enterPin(PIN);
    await kiosk.screen('device');
    await kiosk.press('Unpair');
    await kiosk.page.getByRole('dialog').waitFor();
    expect(await kiosk.page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await kiosk.page.keyboard.press('Escape');
    await kiosk.page.getByRole('dialog').waitFor({ state: 'detached' });
    await kiosk.press('Unpair');
    await kiosk.page.getByRole('dialog').waitFor();
    await kiosk.page.getByRole('checkbox', { name: 'also delete its own key' }).check();
    await kiosk.press('Unpair');
    await kiosk.screen('pair');
    const left = await kiosk.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
    expect(left).not.toContain('svc-device');
  });

  await browser.close();
  await recorder.close();
  await started.close();
});
