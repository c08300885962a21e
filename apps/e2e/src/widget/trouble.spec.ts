import type { Page, Route } from '@playwright/test';
import { createManualClock, createStage, createToken, queryDatabase } from '@svc/api/testing';
import { createProblem } from '@svc/protocol';
import { expect, test } from '../support/browser-test.ts';
import { agree, decline, enrolByFile, type Guests, holdTimers, sendPhoto } from './guest.ts';

const SESSION = '**/v1/widget/session*';
const ENROL = '**/v1/widget/enrolments';
const DECLINE = '**/v1/widget/decline';
const cut = (route: Route) => route.abort('connectionreset');
/** The page repeats a request by itself after a second, which may be over before a test has pressed. */
const holdRetry = (page: Page) => holdTimers(page, 1_000);
/** The request arrives, but its answer does not. */
const loseAnswer = async (route: Route) => {
  await route.fetch();
  await route.abort('connectionreset');
};
const problem = (code: Parameters<typeof createProblem>[0], status: number) => ({
  ...{ status, contentType: 'application/problem+json', headers: { 'Retry-After': '1' } },
  body: JSON.stringify(createProblem(code, { requestId: 'r' })),
});

test.describe('a network that', () => {
  test('is cut before the consent: the request is retried automatically', { tag: '@long' }, async ({ guests }) => {
    const tab = await guests.atConsent();
    await tab.page.route(SESSION, cut);
    await tab.page.reload();
    await tab.says('No connection');
    await tab.page.unroute(SESSION);
    await tab.shows('consent');
  });

  test('is cut before the page’s own texts: they are in English, around the guest’s wording', { tag: '@long' }, async ({
    guests,
  }) => {
    const { page } = await guests.atConsent({ locale: 'de-DE' });
    await page.route('**/assets/de-*', cut);
    await page.reload();
    await page.getByRole('button', { name: 'I agree, continue' }).waitFor();
    await page.getByRole('button', { name: 'Nein danke, ich nehme den normalen Eingang' }).waitFor();
    expect(await page.locator('.wording').getAttribute('lang')).toBe('de');
  });

  // Chromium remembers that a script could not be loaded, and asks for it no more before the page is loaded anew.
  test.fail('is cut before the camera: loading is retried on request', { tag: '@long' }, async ({ guests, widget }) => {
    const tab = await guests.open((await widget.token()).token, { savesData: true });
    await tab.page.route('**/assets/capture-*', cut);
    await agree(tab.page);
    await tab.says('This step could not be loaded');
    await tab.page.unroute('**/assets/capture-*');
    await tab.press('Start the camera');
    await tab.photograph();
  });

  const faults: readonly (readonly [string, string, (route: Route) => Promise<void>])[] = [
    ['is cut before the photo has arrived', 'Your photo is kept on this page', cut],
    [
      'is a captive portal’s, which answers with its own page',
      'No connection',
      (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Log in</h1>' }),
    ],
    [
      'works, while the service is overloaded',
      'The service is busy',
      (route) => route.fulfill(problem('overloaded', 503)),
    ],
  ];
  for (const [name, said, fault] of faults) {
    test(`${name}: the photo is kept, and sent once`, { tag: '@long' }, async ({ guests, widget }) => {
      const { token, tokenId } = await widget.token();
      const tab = await guests.atCheck(token);
      await holdRetry(tab.page);
      await tab.page.route(ENROL, fault, { times: 1 });
      await sendPhoto(tab.page);
      await tab.says(said);
      expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
      await tab.press('Try again now');
      await tab.shows('done');
    });
  }

  test('is cut after the photo: the lost answer is fetched again with the same key', async ({ guests, widget }) => {
    const { token, ticketId } = await widget.token();
    const tab = await guests.atCheck(token);
    const keys: (string | undefined)[] = [];
    await tab.page.route(ENROL, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await (keys.length === 1 ? loseAnswer(route) : route.continue());
    });
    await sendPhoto(tab.page);
    await tab.shows('done');
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect(await widget.isEnrolled(ticketId)).toBe(true);
  });

  test('is cut after a refusal: it costs one attempt', { tag: '@long' }, async ({ guests, widget }) => {
    guests.photosAre('blurred', 'enrolled');
    const { token, tokenId } = await widget.token();
    const tab = await guests.atCheck(token);
    await tab.page.route(ENROL, loseAnswer, { times: 1 });
    await sendPhoto(tab.page);
    await tab.says('The photo was blurred');
    await tab.says('4 attempts left');
    expect(await widget.tokenState(tokenId)).toMatchObject({ attemptsLeft: 4 });
  });

  test('is cut while declining: the guest can go back, and decline once more', { tag: '@long' }, async ({
    guests,
    widget,
  }) => {
    const { token, tokenId } = await widget.token();
    const tab = await guests.open(token);
    await tab.page.route(DECLINE, cut);
    await decline(tab.page);
    await tab.says('you are not enrolled');
    await tab.press('Back');
    await tab.shows('consent');
    await tab.page.unroute(DECLINE);
    await tab.page.route(DECLINE, loseAnswer, { times: 1 });
    await decline(tab.page);
    await tab.shows('declined');
    expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'declined' });
  });

  test('hides from a guest who then declines that the photo has arrived: the page finds out', async ({
    guests,
    widget,
  }) => {
    const { token, ticketId } = await widget.token();
    const tab = await guests.atCheck(token);
    await holdRetry(tab.page);
    await tab.page.route(ENROL, loseAnswer, { times: 1 });
    await sendPhoto(tab.page);
    await tab.says('No connection');
    expect(await widget.isEnrolled(ticketId)).toBe(true);
    await decline(tab.page);
    await tab.shows('done');
    await tab.says('Your photo had arrived before you chose the standard entrance');
  });

  test('comes back: waiting requests are sent immediately', async ({ guests, widget }) => {
    const tab = await guests.atCheck((await widget.token()).token);
    await tab.context.setOffline(true);
    await sendPhoto(tab.page);
    await tab.says('No connection');
    await tab.context.setOffline(false);
    await tab.shows('done');
  });
});

test('a changed text must be read again; the photo is kept, also while the text cannot be fetched', {
  tag: '@long',
}, async ({ guests, widget }) => {
  const tab = await guests.atCheck((await widget.token()).token);
  await holdRetry(tab.page);
  await tab.page.route(ENROL, (route) => route.fulfill(problem('consent-version-mismatch', 409)), { times: 1 });
  await tab.page.route(SESSION, cut);
  await sendPhoto(tab.page);
  await tab.says('No connection');
  await tab.page.unroute(SESSION);
  await tab.press('Try again now');
  await tab.says('The text has changed');
  expect(await tab.page.locator('input:checked').count()).toBe(0);
  await tab.page.locator('[name="explicitBiometricConsent"]').check();
  await tab.page.locator('[name="writtenRelease"]').check();
  await tab.press('I agree, continue');
  await tab.shows('check');
  await sendPhoto(tab.page);
  await tab.shows('done');
});

test.describe('a token', () => {
  const standard = 'The standard entrance is open to you in any case.';
  type Spoil = (guests: Guests, token: string, tokenId: string) => Promise<unknown>;
  const spoilt: readonly (readonly [string, readonly string[], Spoil])[] = [
    [
      'was used',
      ['You are enrolled', 'At the entrance, show your ticket', 'will be deleted on', 'tell Riverside Hall'],
      async (guests, token) => enrolByFile((await guests.open(token)).page),
    ],
    [
      'was declined',
      ['You chose the standard entrance', 'ask Riverside Hall for a new link', standard],
      async (guests, token) => {
        const tab = await guests.open(token);
        await decline(tab.page);
        await tab.shows('declined');
      },
    ],
    [
      'has expired',
      ['This link has expired', 'ask Riverside Hall for a new link', standard],
      ({ service }, _token, tokenId) =>
        queryDatabase(
          service.api.config.databaseUrl,
          'UPDATE enrolment_tokens SET expires_at = $1 WHERE token_id = $2',
          [new Date(Date.now() - 1), tokenId],
        ),
    ],
    [
      'was revoked',
      ['This link has been withdrawn', 'Ask Riverside Hall for a new link', standard],
      ({ service }, _token, tokenId) =>
        service.customer.request('DELETE', `/v1/events/${service.stage.eventId}/enrolment-tokens/${tokenId}`),
    ],
  ];
  for (const [name, texts, spoil] of spoilt) {
    test(`that ${name}, before and after it was opened: says so, whose link it is and what to do`, {
      tag: '@long',
    }, async ({ guests, widget }) => {
      const { token, tokenId } = await widget.token();
      // Page already open, with a photo taken.
      const early = await guests.atCheck(token);
      await spoil(guests, token, tokenId);
      const late = await guests.open(token);
      for (const text of texts) await late.says(text);
      await late.page.locator('header', { hasText: 'Riverside Hall' }).filter({ hasText: 'Concert' }).waitFor();
      await late.page.getByRole('link', { name: /^Privacy notice of Riverside Hall/ }).waitFor();
      await sendPhoto(early.page);
      await early.shows('ended');
      for (const text of texts) await early.says(text);
    });
  }

  test('that is cut off is told from one that is not valid, and the service is not asked', { tag: '@long' }, async ({
    guests,
    widget,
  }) => {
    const { token } = await widget.token();
    for (const spoilt of [token.slice(0, -3), token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')), '']) {
      const tab = await guests.open(spoilt);
      await tab.says('This link is not complete');
      expect(tab.requested.filter((path) => path.includes('/v1/'))).toEqual([]);
    }
  });

  test('in two tabs at once enrols once, whichever is first; Back changes nothing meanwhile', async ({
    guests,
    widget,
  }) => {
    const { token, ticketId } = await widget.token();
    const [first, second] = [await guests.atCheck(token), await guests.atCheck(token)];
    const release = widget.inference.hold();
    await sendPhoto(first.page);
    await sendPhoto(second.page);
    await second.shows('sending');
    await second.page.evaluate(() => {
      const gone = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      history.back();
      return gone.then(() => undefined);
    });
    await second.shows('sending');
    release();
    // Of two simultaneous photos one is processed; the other page waits, and then learns that the token is used.
    const ends = await Promise.all(
      [first, second].map(async ({ page }) => {
        const shown = page.locator('[data-screen="done"], [data-screen="ended"]');
        await shown.waitFor();
        return shown.getAttribute('data-screen');
      }),
    );
    expect(ends.toSorted()).toEqual(['done', 'ended']);
    expect(await widget.isEnrolled(ticketId)).toBe(true);
  });

  test('for a list that is closed in the meantime', { tag: '@long' }, async ({ guests, widget }) => {
    const { eventId, listId } = await createStage(widget.customer, createManualClock());
    const tab = await guests.atCheck((await createToken(widget.customer, eventId)).token);
    await widget.customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    await sendPhoto(tab.page);
    await tab.says('Enrolment is closed');
  });
});
