import type { Route } from '@playwright/test';
import { expect, test } from '../support/browser-test.ts';
import { decline, sendPhoto } from './guest.ts';

test('a network that is cut before the page’s own texts: they are in English, around the guest’s wording', {
  tag: '@long',
}, async ({ guests }) => {
  const { page } = await guests.atConsent({ locale: 'de-DE' });
  await page.route('**/assets/de-*', (route) => route.abort('connectionreset'));
  await page.reload();
  await page.getByRole('button', { name: 'I agree, continue' }).waitFor();
  await page.getByRole('button', { name: 'Nein danke, ich nehme den normalen Eingang' }).waitFor();
  expect(await page.locator('.wording').getAttribute('lang')).toBe('de');
});

test('a network that hides from a guest who then declines that the photo has arrived: the page finds out', async ({
  guests,
  widget,
}) => {
  const { token, ticketId } = await widget.token();
  const tab = await guests.atCheck(token);
  // The page repeats the request by itself after a second, which may be over before the press.
  await tab.page.evaluate(() => {
    const own = window.setTimeout;
    const setTimeout = (action: () => void, ms?: number) => (ms === 1_000 ? 0 : own(action, ms));
    Object.assign(window, { setTimeout });
  });
  // The request arrives, but its answer does not.
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await tab.page.route('**/v1/widget/enrolments', loseAnswer, { times: 1 });
  await sendPhoto(tab.page);
  await tab.says('No connection');
  expect(await widget.isEnrolled(ticketId)).toBe(true);
  await decline(tab.page);
  await tab.shows('done');
  await tab.says('Your photo had arrived before you chose the standard entrance');
});

test('a token that is cut off is told from one that is not valid, and the service is not asked', {
  tag: '@long',
}, async ({ guests, widget }) => {
  const { token } = await widget.token();
  for (const spoilt of [token.slice(0, -3), token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')), '']) {
    const tab = await guests.open(spoilt);
    await tab.says('This link is not complete');
    expect(tab.requested.filter((path) => path.includes('/v1/'))).toEqual([]);
  }
});

test('a token in two tabs at once enrols once, whichever is first; Back changes nothing meanwhile', {
  tag: '@long',
}, async ({ guests, widget }) => {
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
