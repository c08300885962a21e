import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isOfBrowser, type Recorder, startRecorder } from '../wire/recorder.ts';
import { EmbeddedPage, newContext, withId } from './embedding.ts';
import { agree, choosePhoto, noisePhoto, screenOf, sendPhoto } from './guest.ts';
import { markup, PATIENCE_MS, startWidgetHarness, type WidgetHarness } from './harness.ts';
import { type OrganiserSite, startOrganiserSite } from './organiser-site.ts';
import { type SceneName, sceneJpeg } from './scenes.ts';

/** Chromium's format: JPEGs at 30 per second. */
const FRAMES_A_SECOND = 30;

/** A guest who appears, stands too far away, and then at the right distance. */
async function writeFilm(file: string): Promise<void> {
  const seconds: readonly [SceneName, number][] = [
    ['nobody', 1],
    ['far away', 8],
    ['good', 16],
  ];
  const frames: Buffer[] = [];
  for (const [scene, long] of seconds) {
    const jpeg = await sharp(Buffer.from(await sceneJpeg(scene), 'base64'))
      .jpeg({ quality: 85 })
      .toBuffer();
    for (let i = 0; i < long * FRAMES_A_SECOND; i += 1) frames.push(jpeg);
  }
  await writeFile(file, Buffer.concat(frames));
}

let folder: string;
let harness: WidgetHarness;
let stranger: OrganiserSite;
let recorder: Recorder;
let browser: Browser;
let context: BrowserContext;

// Nothing in the page is replaced: getUserMedia, the frame's permissions, the stream and its end are the browser's.
describe.skipIf(chromiumPath === undefined)(
  'the widget in an organiser’s page, with the browser’s own camera',
  { timeout: 8 * PATIENCE_MS },
  () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-own-camera-'));
      const film = join(folder, 'film.mjpeg');
      await writeFilm(film);
      harness = await startWidgetHarness({ inference: 'models' });
      stranger = await startOrganiserSite();
      recorder = await startRecorder(new URL(harness.widgetUrl).origin, harness.organiser.url, stranger.url);
      browser = await launchChromium(
        ...recorder.browserArguments,
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-video-capture=${film}`,
      );
    }, 8 * PATIENCE_MS);
    afterAll(async () => {
      await browser?.close();
      await recorder?.close();
      await stranger?.close();
      await harness?.close();
      await rm(folder, { recursive: true, force: true });
    });
    beforeEach(async () => {
      context = await newContext(browser);
    });
    afterEach(() => context.close());

    it('guides the guest, takes the photo automatically, and sends requests only to the service', async () => {
      const { token, ticketId } = await harness.token();
      const embedded = await EmbeddedPage.open(context, harness, { body: withId(markup(harness.widgetUrl, token)) });
      await embedded.isTold('ready');
      const frame = embedded.page.frameLocator('iframe');
      const of = (more: (target: string) => boolean) =>
        recorder.requests.filter((request) => !isOfBrowser(request) && more(request.target));
      const firstOf = (path: RegExp) => recorder.requests.findIndex(({ target }) => path.test(target));
      // Most of the film may be over before the engine runs; it is repeated, and each hint is shown once.
      embedded.page.setDefaultTimeout(4 * PATIENCE_MS);
      await agree(frame);
      await screenOf(frame, 'check').waitFor();
      expect(firstOf(/\/assets\/(capture|engine)/)).toBeGreaterThan(firstOf(/\/v1\/widget\/session/));
      await frame.getByRole('button', { name: 'Retake' }).click();
      await frame.locator('.stage > .hint', { hasText: 'Come a little closer' }).waitFor();
      // Announced to screen readers once it has settled.
      await frame.locator('[aria-live]', { hasText: 'Come a little closer' }).waitFor({ state: 'attached' });
      // After one photo the guest says when. Between the hint and the photo the film may have begun anew.
      for (;;) {
        await frame.locator('.stage > .hint', { hasText: 'Good. Take the photo now' }).waitFor();
        await frame.getByRole('button', { name: 'Take photo' }).click();
        await screenOf(frame, 'check').waitFor();
        await frame.locator('.review-good, .review .svc-notice').waitFor();
        if ((await frame.locator('.review-good').count()) === 1) break;
        await frame.getByRole('button', { name: 'Retake' }).click();
      }
      expect(of((target) => target.endsWith('/enrolments'))).toEqual([]);
      await sendPhoto(frame);
      await screenOf(frame, 'done').waitFor();
      await embedded.isTold('ready', 'enrolled');
      expect(await harness.enrolled()).toContain(ticketId);
      expect(of((target) => /\/assets\/engine-/.test(target)).length).toBeGreaterThan(3);
      const elsewhere = of((target) => !target.startsWith('/')).map(({ method, target }) => `${method} ${target}`);
      const { url } = harness.organiser;
      expect(new Set(elsewhere)).toEqual(new Set([`GET ${url}/ticket`, `GET ${url}/favicon.ico`]));
      const sent = of(() => true).filter(({ body }) => body.length > 0);
      expect(sent.map(({ target }) => target)).toEqual(['/v1/widget/enrolments']);
    });

    it('gives the camera to its own frame only', async () => {
      stranger.put('/ad', { body: 'Buy!' });
      const body = `<iframe src="${stranger.url}/ad"></iframe>${withId(markup(harness.widgetUrl, (await harness.token()).token))}`;
      const embedded = await EmbeddedPage.open(context, harness, { body });
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
      expect(await ask(harness.widgetUrl)).toBe('opened');
    });

    it('reports a camera that the embedding page blocks, and accepts a file', async () => {
      const embedded = await EmbeddedPage.open(context, harness, { headers: { 'permissions-policy': 'camera=()' } });
      await embedded.isTold('ready');
      const frame = embedded.page.frameLocator('iframe');
      await agree(frame);
      await frame.getByText('The camera is blocked').waitFor();
      await choosePhoto(frame, await noisePhoto());
    });
  },
);
