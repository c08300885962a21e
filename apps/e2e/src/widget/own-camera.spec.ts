import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import sharp from 'sharp';
import { expect, test } from '../support/browser-test.ts';
import { isOfBrowser, type Recorder, startRecorder } from '../wire/recorder.ts';
import { agree, screenOf, sendPhoto } from './guest.ts';
import { type SceneName, sceneJpeg } from './scenes.ts';
import { EmbeddedPage, markup, newContext, type OrganiserSite, startOrganiserSite } from './stage.ts';

/** A guest who appears, stands too far away, and then at the right distance; in seconds. */
const film: readonly (readonly [SceneName, number])[] = [
  ['nobody', 1],
  ['far away', 8],
  ['good', 16],
];

let folder: string;
let stranger: OrganiserSite;
let recorder: Recorder;
let browser: Browser;

// Nothing in the page is replaced: getUserMedia, the frame's permissions, the stream and its end are the browser's.
test.describe('in an organiser’s page, with the browser’s own camera', { tag: '@long' }, () => {
  test.beforeAll(async ({ enrolling }) => {
    folder = await mkdtemp(join(tmpdir(), 'svc-own-camera-'));
    // Chromium's format: JPEGs at 30 per second.
    const frames = await Promise.all(
      film.map(async ([scene, seconds]) => {
        const jpeg = await sharp(Buffer.from(await sceneJpeg(scene), 'base64'))
          .jpeg({ quality: 85 })
          .toBuffer();
        return Array.from({ length: 30 * seconds }, () => jpeg);
      }),
    );
    const file = join(folder, 'film.mjpeg');
    await writeFile(file, Buffer.concat(frames.flat()));
    stranger = await startOrganiserSite();
    recorder = await startRecorder(new URL(enrolling.widgetUrl).origin, enrolling.organiser.url, stranger.url);
    browser = await launchChromium(
      ...recorder.browserArguments,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-video-capture=${file}`,
    );
  });
  test.afterAll(async () => {
    await browser?.close();
    await recorder?.close();
    await stranger?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('the guest is guided and photographed, and requests go to the service alone', async ({ enrolling }) => {
    const { token, ticketId } = await enrolling.token();
    const body = markup(enrolling.widgetUrl, token);
    const embedded = await EmbeddedPage.open(await newContext(browser), enrolling, { body });
    await embedded.isTold('ready');
    const frame = embedded.inFrame;
    const of = (fits: (target: string) => boolean) =>
      recorder.requests.filter((request) => !isOfBrowser(request) && fits(request.target));
    // Most of the film may be over before the engine runs; it is repeated, and each hint is shown once.
    const whole = { timeout: 120_000 };
    await agree(frame);
    await screenOf(frame, 'check').waitFor(whole);
    await frame.getByRole('button', { name: 'Retake' }).click();
    await frame.locator('.stage > .hint', { hasText: 'Come a little closer' }).waitFor(whole);
    // Announced to screen readers once it has settled.
    await frame.locator('[aria-live]', { hasText: 'Come a little closer' }).waitFor({ ...whole, state: 'attached' });
    // After one photo the guest says when. Between the hint and the photo the film may have begun anew.
    for (;;) {
      await frame.locator('.stage > .hint', { hasText: 'Good. Take the photo now' }).waitFor(whole);
      await frame.getByRole('button', { name: 'Take photo' }).click();
      await screenOf(frame, 'check').waitFor();
      await frame.locator('.review-good, .review .svc-notice').waitFor(whole);
      if ((await frame.locator('.review-good').count()) === 1) break;
      await frame.getByRole('button', { name: 'Retake' }).click();
    }
    expect(of((target) => target.endsWith('/enrolments'))).toEqual([]);
    await sendPhoto(frame);
    await embedded.isTold('ready', 'enrolled');
    expect(await enrolling.isEnrolled(ticketId)).toBe(true);
    expect(of((target) => /\/assets\/engine-/.test(target)).length).toBeGreaterThan(3);
    const elsewhere = of((target) => !target.startsWith('/')).map(({ method, target }) => `${method} ${target}`);
    const { url } = enrolling.organiser;
    expect(new Set(elsewhere)).toEqual(new Set([`GET ${url}/ticket`, `GET ${url}/favicon.ico`]));
    const sent = of(() => true).filter(({ body }) => body.length > 0);
    expect(sent.map(({ target }) => target)).toEqual(['/v1/widget/enrolments']);
  });

  test('the camera is for its own frame alone', async ({ enrolling }) => {
    stranger.put('/ad', { body: 'Buy!' });
    const { token } = await enrolling.token();
    const body = `<iframe src="${stranger.url}/ad"></iframe>${markup(enrolling.widgetUrl, token)}`;
    const embedded = await EmbeddedPage.open(await newContext(browser), enrolling, { body });
    await embedded.isTold('ready');
    const ask = async (origin: string) => {
      const asking = embedded.page.frames().find((found) => found.url().startsWith(origin));
      return asking?.evaluate(() =>
        navigator.mediaDevices.getUserMedia({ video: true }).then(
          (stream) => {
            for (const track of stream.getTracks()) track.stop();
            return 'opened';
          },
          (error: Error) => error.name,
        ),
      );
    };
    expect(await ask(stranger.url)).toBe('NotAllowedError');
    expect(await ask(enrolling.widgetUrl)).toBe('opened');
  });
});
