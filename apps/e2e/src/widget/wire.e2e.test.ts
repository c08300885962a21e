import type { MadeToken } from '@svc/api/testing';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryOf, foundIn } from '../enrolment/canaries.ts';
import {
  bytesOf,
  headerNames,
  headerOf,
  isOfBrowser,
  type RecordedRequest,
  type Recorder,
  startRecorder,
} from '../wire/recorder.ts';
import { EmbeddedPage, newContext } from './embedding.ts';
import { agree, choosePhoto, enrolByFile, noisePhoto, screenOf, sendPhoto } from './guest.ts';
import { markup, PATIENCE_MS, startWidgetHarness, type WidgetHarness } from './harness.ts';

/** In the organiser's own address, as on ticket shops. */
const ORDER = 'order-7c2e91d04ab35f68';
const CANARY_BYTES = 48;

let harness: WidgetHarness;
let recorder: Recorder;
let browser: Browser;
let context: BrowserContext;

const toOrganiser = ({ target }: RecordedRequest) => target.startsWith(harness.organiser.url);
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

describe.skipIf(chromiumPath === undefined)('what leaves the browser', { timeout: 4 * PATIENCE_MS }, () => {
  let made: MadeToken;
  let chosen: Uint8Array;
  let sent: Uint8Array;

  beforeAll(async () => {
    harness = await startWidgetHarness();
    recorder = await startRecorder(new URL(harness.widgetUrl).origin, harness.organiser.url);
    browser = await launchChromium(...recorder.browserArguments);
    context = await newContext(browser);
  }, 4 * PATIENCE_MS);

  afterAll(async () => {
    await browser?.close();
    await recorder?.close();
    await harness?.close();
  });

  it('a guest enrols in an organiser’s page', async () => {
    made = await harness.token();
    const body = markup(harness.widgetUrl, made.token);
    const embedded = await EmbeddedPage.open(context, harness, { body, path: `/${ORDER}` });
    await embedded.isTold('ready');
    const frame = embedded.page.frameLocator('iframe');
    await agree(frame);
    const file = await noisePhoto();
    chosen = file.buffer;
    await choosePhoto(frame, file);
    await sendPhoto(frame);
    await screenOf(frame, 'done').waitFor();
    await embedded.isTold('ready', 'enrolled');
    sent = harness.inference?.photos.at(-1) ?? new Uint8Array();
    expect(sent.length).toBeGreaterThan(10_000);
    // The browser asks for it when it has nothing better to do.
    await expect.poll(() => harness.organiser.requests.map(({ target }) => target)).toContain('/favicon.ico');
    await embedded.close();
  });

  it('to the organiser: its own page, and nothing about the guest', () => {
    const addresses = recorder.requests.filter(toOrganiser).map(addressOf);
    const { url } = harness.organiser;
    expect(new Set(addresses)).toEqual(new Set([`GET ${url}/${ORDER}`, `GET ${url}/favicon.ico`]));
    // The proxy saw every request.
    expect(harness.organiser.requests.length).toBe(addresses.length);
    const all = Buffer.concat(harness.organiser.requests.map(bytesOf));
    expect(all.includes(made.token)).toBe(false);
    expect(foundIn(all, [...piecesOf('chosen', chosen), ...piecesOf('sent', sent)])).toEqual([]);
  });

  it('to other hosts: nothing', () => {
    const others = recorder.requests.filter((request) => !toOrganiser(request) && !toService(request));
    expect(others.filter((request) => !isOfBrowser(request)).map(addressOf)).toEqual([]);
  });

  it('the photo: once, to the enrolment endpoint', () => {
    const { requests } = recorder;
    // The request has it in base64; the original file is never sent.
    expect(holders(requests, sent)).toEqual(['POST /v1/widget/enrolments']);
    expect(requests.filter((request) => toService(request) && request.method === 'POST').length).toBe(1);
    expect(holders(requests, chosen)).toEqual([]);
  });

  it('the token: in the header of the guest’s own requests', () => {
    const bearing = recorder.requests.filter((request) => bytesOf(request).includes(made.token));
    expect(new Set(bearing.map(addressOf))).toEqual(new Set(['GET /v1/widget/session', 'POST /v1/widget/enrolments']));
    for (const request of bearing) expect(headerOf(request, 'authorization')).toEqual([`Bearer ${made.token}`]);
  });

  it('to the service: not the organiser’s address, no cookie, no referrer', () => {
    for (const request of recorder.requests.filter(toService)) {
      const { target } = request;
      expect(bytesOf(request).includes(ORDER), target).toBe(false);
      expect(
        headerNames(request).filter((name) => /^(cookie|referer)$/.test(name) && target !== '/widget/widget.js'),
      ).toEqual([]);
    }
  });

  it('nothing is stored in the browser', async () => {
    const { origins, cookies } = await context.storageState({ indexedDB: true });
    expect([origins, cookies]).toEqual([[], []]);
  });

  it('a guest link: everything to the service', async () => {
    const before = recorder.requests.length;
    const { token } = await harness.token({ validForHours: 1 });
    const page = await context.newPage();
    await page.goto(harness.guestLink(token));
    await enrolByFile(page);
    const since = recorder.requests.slice(before).filter((request) => !isOfBrowser(request));
    expect(since.filter((request) => !toService(request)).map(addressOf)).toEqual([]);
    expect(since.filter((request) => headerOf(request, 'referer').length > 0).map(addressOf)).toEqual([]);
    await page.close();
  });
});
