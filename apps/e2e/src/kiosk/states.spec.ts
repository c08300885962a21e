import { expect } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import { bundleKioskGallery, galleryNames, galleryTest, misfitsOf, runs, showScreen } from '../support/galleries.ts';
import { windows } from '../support/looks.ts';

const test = galleryTest(bundleKioskGallery);

/** The languages with the longest texts and one from right to left, in the smallest window and the largest. */
const sizes = [windows.small, { width: 3840, height: 2160 }];
const fits = ['de', 'pl', 'ar'].flatMap((lang) => sizes.map((size) => ({ lang, size })));

for (const { run, details, spread } of runs) {
  test(`no screen has violations by axe, in light and dark: ${run}`, details, async ({ show }) => {
    const names = await galleryNames(await show(''));
    expect(names.length).toBeGreaterThan(30);
    const found: string[] = [];
    for (const [theme, shown] of spread(names, ['light', 'dark'], 3)) {
      const page = await show(`theme=${theme}`);
      for (const name of shown) {
        await showScreen(page, name);
        found.push(...(await axeViolations(page)).map((violation) => `${theme} ${name}: ${violation}`));
      }
    }
    expect(found).toEqual([]);
  });

  test(`screens fit in the longest words, and take the focus: ${run}`, details, async ({ show }) => {
    const wrong: string[] = [];
    for (const [{ lang, size }, shown] of spread(await galleryNames(await show('')), fits, 3)) {
      const page = await show(`lang=${lang}`, size);
      for (const name of shown) {
        await showScreen(page, name);
        const look = async () => [
          ...(await misfitsOf(page, 'main button, header button, main p, main h1')),
          ...(await page.evaluate((shownName) => {
            const place = document.querySelector('.place')?.getBoundingClientRect();
            const hasPlace = place !== undefined && place.top >= 0 && place.bottom <= innerHeight && place.width > 50;
            // A revoked device has deleted its names.
            const mayLack = hasPlace || !/^(scan|attempt|result|not-ready-lease|device(?!-revoked))/.test(shownName);
            // One task later, after the screen is painted.
            const hasFocus = document.activeElement?.closest('h1, dialog, .screen-pin');
            return [...(mayLack ? [] : ['shows no names']), ...(hasFocus ? [] : ['takes the focus to no heading'])];
          }, name)),
        ];
        // A dialog is in the page before it is open.
        const told = await expect
          .poll(look)
          .toEqual([])
          .then(() => [], look);
        wrong.push(...told.map((fault) => `${lang} ${size.width} ${name}: ${fault}`));
      }
    }
    expect(wrong).toEqual([]);
  });
}

test('staff see at once what helps a door that checks nobody in', async ({ show }) => {
  for (const viewport of [{ width: 844, height: 390 }, windows.laptop]) {
    const page = await show('lang=de', viewport);
    for (const name of (await galleryNames(page)).filter((shown) => shown.startsWith('not-ready'))) {
      await showScreen(page, name);
      const ways = page.locator('main .svc-actions button');
      for (const way of await ways.all()) await expect(way, name).toBeInViewport({ ratio: 1 });
    }
  }
});

test('shows the whole head of a standing person in every window', { tag: '@long' }, async ({ show }) => {
  for (const [window, viewport] of Object.entries(windows)) {
    const page = await show('', viewport);
    for (const name of ['attempt-look', 'attempt-staff', 'attempt-right-hint']) {
      const where = `${name} in ${window}`;
      await showScreen(page, name);
      const seen = await page.evaluate(() => {
        const picture = document.querySelector('.live-picture');
        const video = picture?.querySelector('video');
        if (!picture || !video) return null;
        const box = picture.getBoundingClientRect();
        // `object-fit: cover` fills the box, and cuts off the longer side of the picture equally at both ends.
        const scale = Math.max(box.width / video.videoWidth, box.height / video.videoHeight);
        return {
          ofHeight: box.height / (video.videoHeight * scale),
          ofWidth: box.width / (video.videoWidth * scale),
          isInWindow: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
          ofWindow: (box.width * box.height) / (innerWidth * innerHeight),
          scrolls: document.documentElement.scrollHeight > innerHeight,
        };
      });
      expect(seen?.ofHeight, where).toBeGreaterThan(0.995);
      expect(seen?.ofWidth, where).toBeGreaterThan(0.745);
      expect(seen, where).toMatchObject({ isInWindow: true, scrolls: false });
      expect(seen?.ofWindow, where).toBeGreaterThan(0.2);
    }
  }
});

for (const forcedColors of ['none', 'active'] as const) {
  test(`tells the four results apart with forced colours: ${forcedColors}`, async ({ show }) => {
    const page = await show('', windows.laptop);
    await page.emulateMedia({ forcedColors });
    const shown = [];
    for (const name of ['result-match', 'result-let-in-before', 'result-not-enrolled', 'result-no-match']) {
      await showScreen(page, name);
      shown.push(
        await page.evaluate(() => {
          const sign = document.querySelector('.sign');
          const figure = sign?.querySelector('.sign-figure');
          return {
            title: document.querySelector('h1')?.textContent ?? '',
            outline: sign?.querySelector('.sign-outline')?.innerHTML ?? '',
            figure: figure?.innerHTML ?? '',
            isVisible: sign && figure && getComputedStyle(figure).stroke !== getComputedStyle(sign).color,
            signPx: sign?.getBoundingClientRect().width ?? 0,
            titlePx: Number.parseFloat(getComputedStyle(document.querySelector('h1') ?? document.body).fontSize),
          };
        }),
      );
    }
    for (const part of ['title', 'outline', 'figure'] as const)
      expect(new Set(shown.map((result) => result[part])).size, part).toBe(4);
    for (const { isVisible, signPx, titlePx, title } of shown) {
      expect({ title, isVisible }).toEqual({ title, isVisible: true });
      expect(signPx).toBeGreaterThan(200);
      expect(titlePx).toBeGreaterThan(100);
    }
  });
}

test('scans in a picture that fills the screen', { tag: '@long' }, async ({ show }) => {
  for (const viewport of [windows.phone, windows.tablet, windows.laptop]) {
    const page = await show('', viewport);
    await showScreen(page, 'scan');
    const { y = 0, width = 0, height = 0 } = (await page.locator('.viewfinder').boundingBox()) ?? {};
    expect((width * height) / (viewport.width * viewport.height), `${viewport.width}`).toBeGreaterThan(0.6);
    expect(y + height, `${viewport.width}`).toBeLessThan(viewport.height);
  }
});

test('shows the whole viewfinder on a lying phone, however long the words beside it', async ({ show }) => {
  const page = await show('lang=de', windows.lying);
  const outside: string[] = [];
  for (const name of (await galleryNames(page)).filter((each) => /^scan-(?!mismatch)/.test(each))) {
    await showScreen(page, name);
    const { y = -1, height = 0 } = (await page.locator('.viewfinder').boundingBox()) ?? {};
    if (y < 0 || y + height > 375) outside.push(`${name}: ${y} to ${y + height}`);
  }
  expect(outside).toEqual([]);
});
