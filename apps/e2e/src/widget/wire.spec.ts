import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { canaryOf, foundIn } from '../enrolment/canaries.ts';
import { expect, test } from '../support/browser-test.ts';
import { bytesOf, headerNames, headerOf, isOfBrowser, type RecordedRequest, startRecorder } from '../wire/recorder.ts';
import { agree, choosePhoto, enrolByFile, noisePhoto, screenOf, sendPhoto } from './guest.ts';
import { EmbeddedPage } from './stage.ts';

/** In the organiser's own address, as on ticket shops. */
const ORDER = 'order-7c2e91d04ab35f68';
const CANARY_BYTES = 48;

const toService = ({ target }: RecordedRequest) => target.startsWith('/');
/** Pieces from the middle of a file, all different. */
const piecesOf = (name: string, bytes: Uint8Array) =>
  [0.3, 0.5, 0.7].map((at) => {
    const from = Math.floor(bytes.length * at);
    return canaryOf(name, bytes.subarray(from, from + CANARY_BYTES));
  });
const addressOf = ({ method, target }: RecordedRequest) => `${method} ${target.replace(/-[\w-]{8,}\./, '-HASH.')}`;
const holders = (requests: readonly RecordedRequest[], bytes: Uint8Array): string[] => [
  ...new Set(requests.filter((request) => foundIn(bytesOf(request), piecesOf('it', bytes)).length > 0).map(addressOf)),
];

test('what leaves the browser of a guest in an organiser’s page, and of one with a link', async ({ widget }) => {
  const recorder = await startRecorder(new URL(widget.widgetUrl).origin, widget.organiser.url);
  const browser = await launchChromium(...recorder.browserArguments);
  const context = await browser.newContext();
  const embedded = await EmbeddedPage.open(context, widget, { path: `/${ORDER}` });
  const { made } = embedded;
  await embedded.isTold('ready');
  const frame = embedded.inFrame;
  await agree(frame);
  const file = await noisePhoto();
  await choosePhoto(frame, file);
  await sendPhoto(frame);
  await screenOf(frame, 'done').waitFor();
  await embedded.isTold('ready', 'enrolled');
  const sent = widget.inference.photos.at(-1) ?? new Uint8Array();
  expect(sent.length).toBeGreaterThan(10_000);
  // The browser asks for it when it has nothing better to do.
  await expect.poll(() => widget.organiser.asked).toContain('/favicon.ico');
  await embedded.page.close();
  const { requests } = recorder;
  const { url } = widget.organiser;
  const toOrganiser = requests.filter(({ target }) => target.startsWith(url));

  await test.step('to the organiser: its own page, and nothing about the guest', () => {
    const addresses = toOrganiser.map(addressOf);
    expect(new Set(addresses)).toEqual(new Set([`GET ${url}/${ORDER}`, `GET ${url}/favicon.ico`]));
    const all = Buffer.concat(toOrganiser.map(bytesOf));
    expect(all.includes(made.token)).toBe(false);
    expect(foundIn(all, [...piecesOf('chosen', file.buffer), ...piecesOf('sent', sent)])).toEqual([]);
  });
  await test.step('to other hosts: nothing', () => {
    const others = requests.filter((request) => !toOrganiser.includes(request) && !toService(request));
    expect(others.filter((request) => !isOfBrowser(request)).map(addressOf)).toEqual([]);
  });
  await test.step('the photo: once, to the enrolment endpoint; the original file never', () => {
    // The request has it in base64.
    expect(holders(requests, sent)).toEqual(['POST /v1/widget/enrolments']);
    expect(requests.filter((request) => toService(request) && request.method === 'POST').length).toBe(1);
    expect(holders(requests, file.buffer)).toEqual([]);
  });
  await test.step('the token: in the header of the guest’s own requests', () => {
    const bearing = requests.filter((request) => bytesOf(request).includes(made.token));
    const own = ['GET /v1/widget/session', 'POST /v1/widget/enrolments'];
    expect(new Set(bearing.map(addressOf))).toEqual(new Set(own));
    for (const request of bearing) expect(headerOf(request, 'authorization')).toEqual([`Bearer ${made.token}`]);
  });
  await test.step('to the service: not the organiser’s address, no cookie, no referrer', () => {
    for (const request of requests.filter(toService)) {
      const { target } = request;
      expect(bytesOf(request).includes(ORDER), target).toBe(false);
      const telling = headerNames(request).filter((name) => /^(cookie|referer)$/.test(name));
      if (target !== '/widget/widget.js') expect(telling, target).toEqual([]);
    }
  });
  const { origins, cookies } = await context.storageState({ indexedDB: true });
  expect([origins, cookies], 'nothing is stored in the browser').toEqual([[], []]);

  await test.step('of a guest with a link: everything to the service, without a referrer', async () => {
    const before = requests.length;
    const page = await context.newPage();
    await page.goto(widget.guestLink((await widget.token()).token));
    await enrolByFile(page);
    const own = requests.slice(before).filter((request) => !isOfBrowser(request));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((request) => !toService(request)).map(addressOf)).toEqual([]);
    expect(own.filter((request) => headerOf(request, 'referer').length > 0).map(addressOf)).toEqual([]);
  });
  await browser.close();
  await recorder.close();
});
