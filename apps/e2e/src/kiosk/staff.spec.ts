import { startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import { expect, test } from '../support/browser-test.ts';
import { drawCode } from '../support/codes.ts';
import { KioskPage } from './kiosk-page.ts';
import { type KioskService, startKioskService } from './kiosk-service.ts';

const MINUTE_MS = 60_000;

/** The built kiosk on an origin of its own, as docs/kiosk.md describes it: another port is another origin. */
function startOwnOrigin(service: () => KioskService | null): Promise<TestSite> {
  const text = { 'content-type': 'application/json' };
  return startTestSite({
    parts: [
      async (path) => {
        const api = service()?.service.api;
        if (api === undefined) return null;
        if (path === '/kiosk/deployment.json') {
          const { signingKeys } = (await (await fetch(`${api.url}${path}`)).json()) as { signingKeys: string[] };
          return { headers: text, body: JSON.stringify({ signingKeys, baseUrl: api.url }) };
        }
        const file = await fetch(`${api.url}${path}`);
        if (!file.ok) return null;
        const policy = file.headers.get('content-security-policy') ?? '';
        const headers = {
          'content-type': file.headers.get('content-type') ?? '',
          'content-security-policy': policy.replace("connect-src 'self'", `connect-src 'self' ${api.url}`),
        };
        return { headers, body: new Uint8Array(await file.arrayBuffer()) };
      },
    ],
  });
}

test('staff at one kiosk, on an origin of its own', { tag: '@long' }, async ({ browser }) => {
  let started: KioskService | null = null;
  const site = await startOwnOrigin(() => started);
  started = await startKioskService({ environment: { SVC_KIOSK_URL: `${site.url}/kiosk/` } });
  const service = started;
  const context = await browser.newContext({ locale: 'de-AT' });
  const kiosk = await KioskPage.open(context, site.url);
  const { page } = kiosk;
  const pairing = await service.addTo(service.listId);
  await page.evaluate(() => localStorage.setItem('svc-kiosk-preferences', '{"language":"en"}'));

  const isOpen = async () => {
    await page.locator('[data-screen="stopped"], [data-screen="device"]').waitFor({ timeout: MINUTE_MS });
    if ((await page.locator('[data-screen="stopped"]').count()) > 0) await kiosk.press('Staff watch every attempt');
    await kiosk.screen('device');
  };
  const isReady = async () => {
    await isOpen();
    await page.getByText('Ready for guests').waitFor({ timeout: MINUTE_MS });
  };
  const unpair = async (final: boolean) => {
    await kiosk.press('Unpair');
    await page.getByRole('dialog').waitFor();
    if (final) await page.getByRole('checkbox').check();
    await kiosk.press('Unpair');
    await kiosk.screen('pair');
  };

  await test.step('pair by a link that the API has made, after a question, with the token out of the address', async () => {
    const link = pairing.pairingUrl ?? '';
    expect(link).toBe(`${site.url}/kiosk/#${pairing.token}`);
    await page.goto(`${site.url}/kiosk/icon.svg`);
    await page.goto(link);
    await kiosk.screen('offer');
    expect(page.url()).toBe(`${site.url}/kiosk/`);
    await page.getByText(`Pair this device with ${new URL(site.url).host}?`).waitFor();
    await kiosk.press('Not now');
    await kiosk.screen('pair');
    // In the open page only the fragment changes.
    await page.evaluate((text) => {
      location.hash = text;
    }, pairing.token);
    await kiosk.screen('offer');
    expect(page.url()).toBe(`${site.url}/kiosk/`);
    await kiosk.press('Pair');
    await isReady();
  });

  await test.step('read dates as their region writes them', async () => {
    const format = new Intl.DateTimeFormat('en-AT', { dateStyle: 'medium' });
    // Midnight may have come since.
    const moments = [Date.now(), Date.now() - 3_600_000].map((at) => format.format(at));
    await page
      .getByText(new RegExp(moments.join('|')))
      .first()
      .waitFor();
    expect(await page.locator('.svc-facts').textContent()).not.toMatch(/[AP]M/);
  });

  await test.step('pair again with the same token after unpairing', async () => {
    await unpair(false);
    // By now something has it.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await kiosk.pair(pairing.token);
  });

  await test.step('pair again by the QR code of the link, held before the camera', async () => {
    await unpair(false);
    await kiosk.press('Scan a QR code');
    await kiosk.hold(await drawCode(`https://elsewhere.example/kiosk/#${pairing.token}`, 'QRCode'));
    await page.getByText('This link opens another address.').waitFor();
    await kiosk.hold(await drawCode(pairing.pairingUrl ?? '', 'QRCode'));
    await isReady();
    await kiosk.hold(null);
  });

  await test.step('set a PIN, which the device screen then asks for', async () => {
    await kiosk.press('Set a PIN');
    await page.getByRole('dialog').waitFor();
    await page.getByLabel('New PIN').fill('271828');
    await page.getByLabel('New PIN').press('Enter');
    await page.getByLabel('Repeat the PIN').fill('271829');
    await page.getByLabel('Repeat the PIN').press('Enter');
    await page.getByText('The two PINs differ.').waitFor();
    for (const field of ['New PIN', 'Repeat the PIN']) {
      await page.getByLabel(field).waitFor();
      // By the keys on the screen.
      for (const digit of '271828') await page.getByRole('button', { name: digit, exact: true }).click();
      await page.getByRole('button', { name: field === 'New PIN' ? 'Next' : 'Save' }).click();
    }
    await page.getByText('A PIN is set.').waitFor();
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await kiosk.screen('pin');
    await page.getByLabel('Staff PIN').fill('1234');
    await page.getByLabel('Staff PIN').press('Enter');
    await page.getByText('This PIN is wrong.').waitFor();
    await page.keyboard.press('Escape');
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await kiosk.screen('pin');
    await page.getByLabel('Staff PIN').fill('271828');
    await page.getByLabel('Staff PIN').press('Enter');
    await kiosk.screen('device');
  });

  await test.step('are asked for it by a link to another list, which then takes the place of the first', async () => {
    const other = await service.addTo(await service.service.createList(undefined, { name: 'Crew', ongoing: true }));
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    await page.goto(`${site.url}/kiosk/icon.svg`);
    await page.goto(other.pairingUrl ?? '');
    await kiosk.screen('offer');
    await page.getByText('Pair this device with another list?').waitFor();
    await kiosk.press('Pair');
    await kiosk.screen('pin');
    await page.getByLabel('Staff PIN').fill('271828');
    await page.getByLabel('Staff PIN').press('Enter');
    await isReady();
    await page.getByText('No staff PIN yet').waitFor();
    expect(await page.locator('.svc-facts').textContent()).toContain('People on the list0');
  });

  await test.step('return to the first list by its token, where a device that was forgotten for good cannot', async () => {
    await kiosk.press('Pair with another list');
    await kiosk.screen('pair');
    await page.getByLabel('Device token').fill(pairing.token);
    await page.getByLabel('Device token').press('Enter');
    await kiosk.screen('offer');
    await kiosk.press('Pair');
    await isOpen();
    // Its key pair went with the first list.
    await page.getByText('This token belongs to another device').waitFor({ timeout: MINUTE_MS });
    await unpair(true);
    await kiosk.pair(await service.addDevice());
    expect(await page.locator('.svc-facts').textContent()).toContain('People on the list2');
  });

  await test.step('wait after five wrong tries, also over a reload', async () => {
    await kiosk.press('Set a PIN');
    for (const field of ['New PIN', 'Repeat the PIN']) {
      await page.getByLabel(field).fill('31415');
      await page.getByLabel(field).press('Enter');
    }
    await page.getByText('A PIN is set.').waitFor();
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await kiosk.screen('pin');
    const field = page.getByLabel('Staff PIN');
    // The field is empty once the try was taken; none is while the one before is looked at.
    const tried = async () => {
      await field.fill('0000');
      await field.press('Enter');
      return field.inputValue();
    };
    for (let i = 0; i < 5; i += 1) await expect.poll(tried, { timeout: 30_000 }).toBe('');
    await page.getByText('This PIN is wrong.').waitFor();
    await page.getByText(/Next try in 0:[0-3][0-9]/).waitFor();
    await page.reload();
    await kiosk.screen('scan');
    await kiosk.press('Device');
    await kiosk.screen('pin');
    await page.getByText(/Next try in 0:[0-3][0-9]/).waitFor();
    await page.getByLabel('Staff PIN').fill('31415');
    await page.getByLabel('Staff PIN').press('Enter');
    await kiosk.screen('pin');
  });

  await test.step('have sent nothing elsewhere, and stored no readable token or PIN', async () => {
    // The API is another origin here, and one token was refused.
    const expected = [service.service.api.url, 'status of 409'];
    expect(kiosk.complaints.filter((text) => !expected.some((part) => text.includes(part)))).toEqual([]);
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(stored).not.toMatch(/svcd_|31415|271828/);
  });

  await context.close();
  await service.close();
  await site.close();
});
