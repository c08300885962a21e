import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { addPasskeyProvider, DashboardPage, PATIENCE_MS } from './dashboard-page.ts';
import { type DashboardHarness, type HarnessAccount, startDashboardHarness } from './harness.ts';

describe.skipIf(chromiumPath === undefined)('signing in', { timeout: 6 * PATIENCE_MS }, () => {
  let harness: DashboardHarness;
  let browser: Browser;
  let account: HarnessAccount;
  let context: BrowserContext;

  beforeAll(async () => {
    harness = await startDashboardHarness(inject('postgres'));
    browser = await launchChromium();
    account = await harness.account();
  });
  afterEach(() => context?.close());
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });

  /** Opens an invitation's link in a new browser with a passkey provider. */
  async function openInvitation(role: 'owner' | 'door') {
    const link = await account.invite(role);
    context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    const dashboard = await DashboardPage.in(context, harness.origin);
    const passkeys = await addPasskeyProvider(dashboard.page);
    await dashboard.page.goto(link);
    await dashboard.settled();
    return { dashboard, page: dashboard.page, passkeys, link };
  }

  it('by an invitation, with a new passkey, again with it, and what needs a confirmation asks for it', async () => {
    const { dashboard, page, passkeys, link } = await openInvitation('owner');
    // The token is in no history.
    expect(page.url()).toBe(`${harness.origin}/dashboard/invitation`);
    await dashboard.press('Continue');
    await dashboard.press('Create passkey');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    expect(await passkeys()).toBe(1);

    await dashboard.press('Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await dashboard.open('/keys');
    expect(new URL(page.url()).pathname).toBe('/dashboard/sign-in');
    await dashboard.press('Sign in with a passkey');
    // Back where the person was going.
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();

    harness.clock.moveTo(harness.clock.now() + 11 * 60_000);
    await dashboard.press('New key');
    await page.getByLabel('Name').fill('Ticket shop');
    await page.getByLabel('People and guest links: Change').check();
    await dashboard.press('Create key');
    await dashboard.press('Confirm with passkey');
    const key = page.getByRole('textbox', { name: 'API key' });
    await key.waitFor();
    expect(await key.inputValue()).toMatch(/^svck_/);
    await dashboard.press('I have kept it');
    await page.getByRole('rowheader', { name: 'Ticket shop' }).waitFor();

    // The link has been used.
    await page.goto(link);
    await dashboard.press('Continue');
    await page.getByRole('alert').getByText('This link no longer works').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('ends with the session, says so, and leads back', async () => {
    const { dashboard, page } = await openInvitation('owner');
    await dashboard.press('Continue');
    await dashboard.press('Create passkey');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    const { items } = await account.customer
      .request<{ readonly items: readonly { readonly userId: string }[] }>('GET', '/v1/users')
      .then(({ body }) => body);
    for (const { userId } of items) await account.customer.request('DELETE', `/v1/users/${userId}/sessions`);
    // What the page asks for by itself may be refused before the press.
    const signedOut = page.getByText('You were signed out');
    await page.getByRole('link', { name: 'Team' }).or(signedOut).first().click();
    await signedOut.waitFor();
    await dashboard.press('Sign in with a passkey');
    await page.getByRole('heading', { name: /^(Team|Events)$/, level: 1 }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows a role what it may see, and says who may see the rest', async () => {
    const { dashboard, page } = await openInvitation('door');
    await dashboard.press('Continue');
    await dashboard.press('Later');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    const names = await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link').allInnerTexts();
    expect(names).not.toContain('API keys');
    await dashboard.open('/keys');
    await page.getByText('It is for Owner or Auditor.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
