import sharp from 'sharp';
import { claiming, portrait, readable } from '../enrolment/photos.ts';
import { expect, test } from '../support/browser-test.ts';
import { installPageCamera } from '../support/page-camera.ts';
import { agree, phone, screenOf, sendPhoto } from './guest.ts';

const asFile = (buffer: Buffer) => ({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });

test('a chosen photo is sent with at most 1280 px, upright, without metadata, and leaves no URL', async ({
  guests,
  widget,
}) => {
  const { page } = await guests.atConsent();
  await page.evaluate(() => {
    const original = URL.createObjectURL;
    const made: string[] = [];
    URL.createObjectURL = (object) => made[made.push(original.call(URL, object)) - 1] ?? '';
    Object.assign(globalThis, { made });
  });
  await agree(page);
  const large = await sharp(await portrait())
    .resize(1500, 2000, { fit: 'fill' })
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'somebody', Model: 'a phone' } })
    .jpeg()
    .toBuffer();
  await page.locator('input[type="file"]').setInputFiles(asFile(large));
  await screenOf(page, 'check').waitFor();
  await sendPhoto(page);
  await screenOf(page, 'done').waitFor();
  const sent = Buffer.from(widget.inference.photos.at(-1) ?? []);
  const { format, exif, xmp, width, height, orientation } = await sharp(sent).metadata();
  expect({ format, exif, xmp, width, height, orientation }).toEqual({ format: 'jpeg', width: 1280, height: 960 });
  expect(sent.includes('somebody') || sent.includes('a phone')).toBe(false);
  const alive = await page.evaluate(async () => {
    const { made } = globalThis as unknown as { made: string[] };
    const isAlive = (url: string) =>
      new Promise<boolean>((resolve) => {
        Object.assign(new Image(), { onload: () => resolve(true), onerror: () => resolve(false), src: url });
      });
    return (await Promise.all(made.map(isAlive))).filter(Boolean).length;
  });
  expect(alive).toBe(0);
});

test('a file that would fill the memory is refused by its header, and the page goes on', async ({ guests }) => {
  const { page } = await guests.atConsent();
  await agree(page);
  const jpeg = await portrait();
  for (const [width, height] of [
    [20_000, 20_000],
    [65_535, 2_000],
  ] as const) {
    await page.locator('input[type="file"]').setInputFiles(asFile(claiming(jpeg, width, height)));
    await page.getByText(/That picture is too large|The picture could not be read/).waitFor();
  }
  await page.locator('input[type="file"]').setInputFiles(asFile(jpeg));
  await screenOf(page, 'check').waitFor();
});

test('every readable form of a photo is sent as the same picture', { tag: '@long' }, async ({ guests, widget }) => {
  test.setTimeout(600_000);
  const ofPhone = async () =>
    sharp(await portrait())
      .resize(4000, 3000)
      .jpeg({ quality: 90 })
      .toBuffer();
  const forms = { ...readable, '12 megapixels': ofPhone };
  for (const [name, make] of Object.entries(forms)) {
    const { page } = await guests.atConsent();
    await agree(page);
    await page.locator('input[type="file"]').setInputFiles({ name, mimeType: '', buffer: await make() });
    await screenOf(page, 'check').waitFor();
    await sendPhoto(page);
    await screenOf(page, 'done').waitFor();
    const small = (picture: Uint8Array) => sharp(picture).resize(16, 12).greyscale().raw().toBuffer();
    const [sent, wanted] = [
      await small(widget.inference.photos.at(-1) ?? new Uint8Array()),
      await small(await portrait()),
    ];
    const difference = sent.reduce((sum, value, i) => sum + Math.abs(value - (wanted[i] ?? 0)), 0) / sent.length;
    // Colours may differ; a picture that was not turned upright is another one.
    expect(difference, name).toBeLessThan(25);
    await page.context().close();
  }
});

test('on slow 3G the engine comes after the first tick, and its progress is shown', {
  tag: '@long',
}, async ({ browser, widget }) => {
  const page = await (await browser.newContext(phone)).newPage();
  await page.addInitScript(installPageCamera, {});
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const slow3G = { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await network.send('Network.emulateNetworkConditions', slow3G);
  const kilobytes = () =>
    page.evaluate(() => {
      const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      return Math.round(all.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1_000);
    });
  await page.goto(widget.guestLink((await widget.token()).token));
  await screenOf(page, 'consent').waitFor();
  await page.waitForTimeout(15_000);
  const [before, start] = [await kilobytes(), Date.now()];
  expect(before).toBeLessThan(100);
  await agree(page);
  await page.locator('.hint-progress').waitFor();
  await page.locator('.stage:not([data-stage="opening"], [data-stage="loading"])').waitFor({ timeout: 200_000 });
  const seconds = Math.round((Date.now() - start) / 1_000);
  console.log(`${before} kB before the first tick; after it ${(await kilobytes()) - before} kB and ${seconds} s`);
  await page.context().close();
});
