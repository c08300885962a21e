import { startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import { expect, test } from '../support/browser-test.ts';
import { drawCode } from '../support/codes.ts';
import { Films } from '../support/page-camera.ts';
import { rightPerson } from '../support/scenarios.ts';
import type { Service } from '../support/service.ts';
import { expectResult, KioskPage, PIN } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';

/** The built kiosk on an origin of its own, as docs/guide/kiosk.md describes it: another port is another origin. */
function startOwnOrigin(service: () => Service | null): Promise<TestSite> {
  return startTestSite({
    parts: [
      async (path) => {
        const { url = '' } = service() ?? {};
        const file = await fetch(`${url}${path}`);
        if (!file.ok) return null;
        const type = file.headers.get('content-type') ?? '';
        if (path === '/kiosk/deployment.json') {
          const { signingKeys } = (await file.json()) as { signingKeys: string[] };
          return { headers: { 'content-type': type }, body: JSON.stringify({ signingKeys, baseUrl: url }) };
        }
        const policy = file.headers.get('content-security-policy') ?? '';
        const widened = policy.replace("connect-src 'self'", `connect-src 'self' ${url}`);
        const headers = { 'content-type': type, 'content-security-policy': widened };
        return { headers, body: new Uint8Array(await file.arrayBuffer()) };
      },
    ],
  });
}

test('staff at one kiosk, on an origin of its own', { tag: '@long' }, async ({ browser }) => {
  let started: Awaited<ReturnType<typeof startKioskService>> | null = null;
  const site = await startOwnOrigin(() => started);
  const service = await startKioskService({ environment: { SVC_KIOSK_URL: `${site.url}/kiosk/` } });
  started = service;
  await service.call('PATCH', `/v1/lists/${service.listId}`, { reEntry: 'refuse' });
  const context = await browser.newContext({ locale: 'de-AT' });
  const kiosk = await KioskPage.open(context, site.url);
  const { page } = kiosk;
  const films = new Films();
  const pairing = await service.addDevice(service.listId);
  await page.evaluate(() => localStorage.setItem('svc-kiosk-preferences', '{"language":"en"}'));

  await test.step('pair by a link that the API has made, after two questions, with the token out of the address', async () => {
    const link = pairing.pairingUrl ?? '';
    expect(link).toBe(`${site.url}/kiosk/#${pairing.token}`);
    await page.goto(`${site.url}/kiosk/icon.svg`);
    await page.goto(link);
    await kiosk.screen('offer');
    expect(page.url()).toBe(`${site.url}/kiosk/`);
    await kiosk.press('Pair');
    expect(await kiosk.isFetched()).toEqual(['Test', 'Members']);
    await kiosk.confirm();
    // Dates are of the region.
    expect(await page.locator('.svc-facts').textContent()).not.toMatch(/[AP]M/);
  });

  await test.step('pair again by the QR code of the link, held before the camera', async () => {
    await kiosk.press('Unpair');
    await page.getByRole('dialog').waitFor();
    await kiosk.press('Unpair');
    await kiosk.screen('pair');
    await kiosk.press('Scan a QR code');
    await kiosk.hold(await drawCode(`https://elsewhere.example/kiosk/#${pairing.token}`, 'QRCode'));
    await page.getByText('This link leads to a different address.').waitFor();
    await kiosk.hold(await drawCode(pairing.pairingUrl ?? '', 'QRCode'));
    await kiosk.confirm();
    await kiosk.hold(null);
  });

  await test.step('change the PIN by the keys on the screen, which the device screen then asks for', async () => {
    await kiosk.press('Change the PIN');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('[aria-live="polite"]', { hasText: '4 to 12 digits' }).waitFor();
    const keys = page.getByRole('group', { name: 'Digits' });
    for (const field of ['New PIN', 'Repeat the PIN']) {
      await page.getByLabel(field).waitFor();
      for (const digit of PIN) await keys.getByRole('button', { name: digit, exact: true }).click();
      await page.getByRole('button', { name: field === 'New PIN' ? 'Next' : 'Save' }).click();
    }
    await page.getByText('A PIN is set.').waitFor();
    await page.getByRole('button', { name: 'Change the PIN' }).waitFor();
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await kiosk.enterPin('1234');
    await page.getByText('Wrong PIN.').waitFor();
    await page.keyboard.press('Escape');
  });

  await test.step('see who comes again, also after a reload, and allow it by their PIN', async () => {
    const fromMs = Date.now();
    expectResult(await kiosk.visit(films, rightPerson), rightPerson);
    const times = [fromMs, Date.now()].map((ms) =>
      new Intl.DateTimeFormat('en-GB', { hour: 'numeric', minute: '2-digit' }).format(ms),
    );
    await page.reload();
    const shown = await kiosk.visit(films, rightPerson);
    expectResult(shown, { ...rightPerson, mustBe: ['NoMatch'] });
    expect(shown.text).toMatch(new RegExp(`This person was already let in \\((\\w+ )?(${times.join('|')})\\)`));
    await kiosk.press('Staff: allow entry again');
    await kiosk.enterPin(PIN);
    await page.getByText('The earlier entry was undone. Scan the ticket again.').waitFor();
    await page.keyboard.press('Enter');
    expectResult(await kiosk.visit(films, rightPerson), rightPerson);
    await kiosk.screen('scan');
  });

  // The API is another origin here.
  expect(kiosk.complaints.filter((each) => !each.includes(service.url))).toEqual([]);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/svcd_|271828|ticket-of/);
  await context.close();
  await service.close();
  await site.close();
});
