import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import {
  BUILT_PAGES,
  createFakeInference,
  createManualClock,
  createStage,
  createToken,
  freePort,
  startTestApi,
  type TestApi,
  testEngines,
} from '@svc/api/testing';
import { test as base, expect } from '../support/browser-test.ts';
import { complaintsOf } from '../support/complaints.ts';
import { postgresOfRun } from '../support/service.ts';
import { agree, choosePhoto, decline, sendPhoto } from '../widget/guest.ts';
import { CALLS_THIS_MACHINE, copyExample, hasProgram, isInstalled, removeExamples } from './example.ts';

const test = base.extend<object, { readonly api: TestApi }>({
  api: [
    async ({ browserName: _ }, use) => {
      const parts = { createInference: createFakeInference, engines: testEngines() };
      const api = await startTestApi(postgresOfRun(), parts, { ...BUILT_PAGES, ...CALLS_THIS_MACHINE });
      await use(api);
      await api.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});
test.afterEach(removeExamples);

/** Chooses a file in the widget and sends it. */
async function enrol(page: Page): Promise<void> {
  const view = page.frameLocator('iframe');
  await agree(view);
  await choosePhoto(view);
  await sendPhoto(view);
}

for (const [name, isHere] of [['ticket-shop-express', true] as const, ['ticket-shop-next', isInstalled] as const])
  test(`${name}: a guest orders, declines, enrols after all, and withdraws`, async ({ api, page }) => {
    test.skip(!isHere, 'skipped: npm run test:long installs it');
    test.setTimeout(600_000);
    const { apiKey } = await api.customer({ country: 'DE', mode: 'test' });
    const PORT = `${await freePort()}`;
    const url = `http://127.0.0.1:${PORT}`;
    const { blocks, type } = await copyExample(name, { SVC_URL: api.url, SVC_API_KEY: apiKey, SHOP_URL: url, PORT });
    const shop = await type(blocks[0], url);
    const complaints = complaintsOf(page, url, api.url);
    await page.goto(url);
    await page.getByRole('button', { name: 'Order a ticket' }).click();
    await decline(page.frameLocator('iframe'));
    await expect.poll(() => shop.printed).toContain('person.declined');
    await page.reload();
    const status = page.locator('#status');
    await expect(status).toHaveText('You chose the standard entrance.');
    await enrol(page);
    await expect(status).toHaveText(/^Your face is enrolled until \d{4}-\d\d-\d\d\.$/);
    await expect.poll(() => shop.printed).toContain('person.enrolled');
    await page.getByRole('button', { name: 'Delete my face' }).click();
    await expect(status).toHaveText('Walk in with your face, if you like.');
    await expect.poll(() => shop.printed).toContain('person.deleted');
    expect(complaints).toEqual([]);

    const post = async (to: string, headers: Record<string, string>) =>
      (await fetch(to, { method: 'POST', headers, body: '{}' })).status;
    const signed = { 'webhook-id': 'dlv_1', 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}` };
    expect(await post(`${url}/hooks/check-in`, { ...signed, 'webhook-signature': 'v1,AAAA' })).toBe(400);
    // In Next.js there is no such address.
    expect([403, 404]).toContain(await post(`${page.url()}/withdraw`, { Origin: 'https://elsewhere.example' }));
    expect(shop.printed).not.toMatch(/svct_|svce_|whsec_/);
  });

test('page: the widget by its script tag, with the token of the address', async ({ api, page }) => {
  test.skip(!hasProgram('python3'), 'skipped: no python3');
  const customer = await api.customer({ country: 'DE', mode: 'test' });
  const { eventId } = await createStage(customer, createManualClock());
  const { token } = await createToken(customer, eventId, { validForHours: 1 });
  const { type, blocks, folder } = await copyExample('page');
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  await writeFile(join(folder, 'index.html'), html.replaceAll('http://127.0.0.1:3000', api.url));
  const port = `${await freePort()}`;
  const url = `http://127.0.0.1:${port}/`;
  await type(blocks[0]?.replace('8000', port), url);
  const complaints = complaintsOf(page, url.slice(0, -1), api.url);
  await page.goto(`${url}#${token}`);
  await enrol(page);
  await expect(page.getByRole('status')).toHaveText('See you at the door. Bring your ticket, too.');
  expect(page.url()).toBe(url);
  expect(complaints).toEqual([]);
});
