import { queryDatabase } from '@svc/api/testing';
import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { createProblem } from '@svc/protocol';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  agree,
  choosePhoto,
  decline,
  enrolByFile,
  firstOf,
  holdTimers,
  noisePhoto,
  runsAll,
  sendPhoto,
} from './guest.ts';
import { GuestStage } from './guest-stage.ts';
import { PATIENCE_MS } from './harness.ts';

const SESSION = '**/v1/widget/session*';
const ENROL = '**/v1/widget/enrolments';
const DECLINE = '**/v1/widget/decline';
const cut = (route: Route) => route.abort('connectionreset');
/** The page repeats a request by itself after a second, which may be over before a test has pressed. */
const FIRST_RETRY_MS = 1_000;
const holdRetry = (page: Page) => holdTimers(page, FIRST_RETRY_MS);
/** The request arrives, but its answer does not. */
const loseAnswer = async (route: Route) => {
  await route.fetch();
  await route.abort('connectionreset');
};

describe.skipIf(chromiumPath === undefined)(
  'the widget’s page, when something is wrong',
  { timeout: 4 * PATIENCE_MS },
  () => {
    let guests: GuestStage;

    beforeAll(async () => {
      guests = await GuestStage.start();
    }, 4 * PATIENCE_MS);
    afterEach(() => guests.endTest());
    afterAll(() => guests?.close());

    describe('a network that', () => {
      it('is cut before the consent: the request is retried automatically', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.open(token);
        await tab.shows('consent');
        await tab.page.route(SESSION, cut);
        await tab.page.reload();
        await tab.says('No connection');
        await tab.page.unroute(SESSION);
        await tab.shows('consent');
      });

      it('is cut before the page’s own texts: they are in English then, and the wording in the guest’s language', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.open(token, { locale: 'de-DE' });
        await tab.page.route('**/assets/de-*', cut);
        await tab.page.reload();
        await tab.page.getByRole('button', { name: 'I agree, continue' }).waitFor();
        await tab.page.getByRole('button', { name: 'Nein danke, ich nehme den normalen Eingang' }).waitFor();
        expect(await tab.page.locator('.wording').getAttribute('lang')).toBe('de');
      });

      it('is cut before the camera: loading is retried on request', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.open(token, { savesData: true });
        await tab.page.route('**/assets/capture-*', cut);
        await agree(tab.page);
        await tab.says('This step could not be loaded');
        await tab.page.unroute('**/assets/capture-*');
        await tab.press('Start the camera');
        await tab.photograph();
      });

      it('is cut before the photo has arrived: the photo is kept, and sent once', async () => {
        const { token, tokenId } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        await holdRetry(tab.page);
        await tab.page.route(ENROL, cut);
        await sendPhoto(tab.page);
        await tab.says('Your photo is kept on this page');
        expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
        await tab.page.unroute(ENROL);
        await tab.press('Try again now');
        await tab.shows('done');
      });

      it('is cut after it: the lost answer is fetched again with the same key', async () => {
        const { token, ticketId } = await guests.harness.token();
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
        expect((await guests.harness.enrolled()).filter((id) => id === ticketId)).toHaveLength(1);
      });

      it('is cut after a refusal: it costs one attempt', async () => {
        guests.photosAre('blurred', 'enrolled');
        const { token, tokenId } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        let tries = 0;
        await tab.page.route(ENROL, async (route) => {
          tries += 1;
          await (tries === 1 ? loseAnswer(route) : route.continue());
        });
        await sendPhoto(tab.page);
        await tab.says('The photo was blurred');
        await tab.says('4 attempts left');
        expect(await guests.harness.tokenState(tokenId)).toMatchObject({ attemptsLeft: 4 });
      });

      it('is cut while declining: the guest can go back, and decline once more', async () => {
        const { token, tokenId } = await guests.harness.token();
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
        expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'declined' });
      });

      it('hides from a guest who then declines that the photo has arrived: the page finds out, and says so', async () => {
        const { token, ticketId } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        await holdRetry(tab.page);
        await tab.page.route(ENROL, loseAnswer, { times: 1 });
        await sendPhoto(tab.page);
        await tab.says('No connection');
        expect(await guests.harness.enrolled()).toContain(ticketId);
        await decline(tab.page);
        await tab.shows('done');
        await tab.says('Your photo had arrived before you chose the standard entrance');
      });

      it('comes back: waiting requests are sent immediately', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        await tab.context.setOffline(true);
        await sendPhoto(tab.page);
        await tab.says('No connection');
        await tab.context.setOffline(false);
        await tab.shows('done');
      });

      it.skipIf(!runsAll)('is cut while another language is asked for: it is tried again, in that one', async () => {
        const tab = await guests.atConsent();
        await tab.page.route(SESSION, cut);
        await tab.page.locator('.language select').selectOption('nl');
        await tab.says('No connection');
        await tab.page.unroute(SESSION);
        await tab.page.getByRole('button', { name: 'Ik stem toe, verder' }).waitFor();
        expect(await tab.page.locator('input:checked').count()).toBe(0);
      });

      it.skipIf(!runsAll)('is cut before the code for a phone: it can be asked for again', async () => {
        const tab = await guests.atConsent();
        await tab.page.route('**/assets/qr-*', cut);
        await tab.press('Continue on your phone');
        await tab.says('The code could not be loaded');
        await tab.page.unroute('**/assets/qr-*');
        await tab.press('Continue on your phone');
        await tab.page.getByRole('img', { name: 'QR code with your personal link' }).waitFor();
      });

      it.skipIf(!runsAll)('is cut before a file can be read: the guest is told, and chooses it again', async () => {
        const tab = await guests.open((await guests.harness.token()).token, { savesData: true });
        await tab.page.route('**/assets/capture-*', cut);
        await agree(tab.page);
        await tab.page.locator('input[type="file"]').setInputFiles(await noisePhoto());
        await tab.says('choose the photo again');
        await tab.page.unroute('**/assets/capture-*');
        await choosePhoto(tab.page, await noisePhoto());
      });

      it('is a captive portal’s, which answers everything with its own page', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        await holdRetry(tab.page);
        await tab.page.route(ENROL, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Log in</h1>' }), {
          times: 1,
        });
        await sendPhoto(tab.page);
        await tab.says('No connection');
        await tab.press('Try again now');
        await tab.shows('done');
      });

      it('works, but the service is overloaded', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        const busy = createProblem('overloaded', { requestId: 'r' });
        const answer = { status: 503, contentType: 'application/problem+json', headers: { 'Retry-After': '1' } };
        const retry = await holdRetry(tab.page);
        await tab.page.route(ENROL, (route) => route.fulfill({ ...answer, body: JSON.stringify(busy) }), { times: 1 });
        await sendPhoto(tab.page);
        await tab.says('The service is busy');
        await retry();
        await tab.shows('done');
      });
    });

    it('a changed text must be read again; the photo is kept, also while the text cannot be fetched', async () => {
      const { token } = await guests.harness.token();
      const tab = await guests.atCheck(token);
      await holdRetry(tab.page);
      const problem = JSON.stringify(createProblem('consent-version-mismatch', { requestId: 'r' }));
      const answer = { status: 409, contentType: 'application/problem+json', body: problem };
      await tab.page.route(ENROL, (route) => route.fulfill(answer), { times: 1 });
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

    describe('a token', () => {
      const standard = 'The standard entrance is open to you in any case.';
      const spoil: readonly [string, readonly string[], (token: string, tokenId: string) => Promise<unknown>][] = [
        [
          'was used',
          ['You are enrolled', 'At the entrance, show your ticket', 'will be deleted on', 'tell Riverside Hall'],
          async (token) => enrolByFile((await guests.open(token)).page),
        ],
        [
          'was declined',
          ['You chose the standard entrance', 'ask Riverside Hall for a new link', standard],
          async (token) => {
            const tab = await guests.open(token);
            await decline(tab.page);
            await tab.shows('declined');
          },
        ],
        [
          'has expired',
          ['This link has expired', 'ask Riverside Hall for a new link', standard],
          (_token, tokenId) =>
            queryDatabase(
              guests.harness.api.config.databaseUrl,
              'UPDATE enrolment_tokens SET expires_at = $1 WHERE token_id = $2',
              [new Date(Date.now() - 1), tokenId],
            ),
        ],
        [
          'was revoked',
          ['This link has been withdrawn', 'Ask Riverside Hall for a new link', standard],
          (_token, tokenId) =>
            guests.harness.customer.request(
              'DELETE',
              `/v1/events/${guests.harness.stage.eventId}/enrolment-tokens/${tokenId}`,
            ),
        ],
      ];
      it.each(spoil)(
        'that %s, before and after it was opened: says so, whose link it is and what to do',
        async (_name, texts, spoilIt) => {
          const { token, tokenId } = await guests.harness.token();
          // Page already open, with a photo taken.
          const early = await guests.atCheck(token);
          await spoilIt(token, tokenId);
          const late = await guests.open(token);
          for (const text of texts) await late.says(text);
          await late.page.locator('header', { hasText: 'Riverside Hall' }).filter({ hasText: 'Concert' }).waitFor();
          await late.page.getByRole('link', { name: /^Privacy notice of Riverside Hall/ }).waitFor();
          await sendPhoto(early.page);
          await early.shows('ended');
          for (const text of texts) await early.says(text);
        },
      );

      const incomplete: readonly [string, (token: string) => string][] = [
        ['is cut off', (token: string) => token.slice(0, -3)],
        ['has a letter changed', (token: string) => token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))],
        ['is not there', () => ''],
      ];
      it.each(firstOf(incomplete, 1))(
        'that %s is told from one that is not valid, and the service is not asked',
        async (_name, spoilIt) => {
          const { token } = await guests.harness.token();
          const tab = await guests.open(spoilIt(token));
          await tab.says('This link is not complete');
          const asked = await tab.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
          expect(asked.filter((url) => url.includes('/v1/'))).toEqual([]);
        },
      );

      it('in two tabs at once enrols once, whichever is first', async () => {
        const { token, ticketId } = await guests.harness.token();
        const [first, second] = [await guests.atCheck(token), await guests.atCheck(token)];
        let release: () => void = () => undefined;
        guests.inference.hold = new Promise((resolve) => {
          release = resolve;
        });
        await sendPhoto(first.page);
        await sendPhoto(second.page);
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
        expect([...ends].sort()).toEqual(['done', 'ended']);
        expect((await guests.harness.enrolled()).filter((id) => id === ticketId)).toHaveLength(1);
      });

      it('for a list that is closed in the meantime', async () => {
        const { token } = await guests.harness.token();
        const tab = await guests.atCheck(token);
        await guests.harness.customer.request('POST', `/v1/lists/${guests.harness.stage.listId}/close-enrollment`);
        await sendPhoto(tab.page);
        await tab.says('Enrolment is closed');
      });
    });
  },
);
