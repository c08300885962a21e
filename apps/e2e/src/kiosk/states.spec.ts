import { expect } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import {
  galleryNames,
  galleryTest,
  inTurn,
  kioskWindows,
  long,
  serveKioskGallery,
  showScreen,
} from '../support/galleries.ts';

const test = galleryTest(serveKioskGallery);

/** The languages with the longest texts, and one from right to left. */
const languages = ['de', 'pl', 'ar'] as const;
const themes = ['light', 'dark'] as const;

for (const run of ['in one of the themes', ...themes] as const) {
  const isShort = run === 'in one of the themes';
  test(`no screen has violations by axe: ${run}`, isShort ? {} : long, async ({ show }) => {
    const names = await galleryNames(await show(''));
    expect(names.length).toBeGreaterThan(30);
    const found: string[] = [];
    for (const [theme, shown] of isShort ? inTurn(names, themes) : [[run, names] as const]) {
      const page = await show(`theme=${theme}`);
      page.on('console', (message) => {
        if (message.type() === 'error') found.push(message.text());
      });
      for (const name of shown) {
        await showScreen(page, name);
        for (const violation of await axeViolations(page)) found.push(`${theme} ${name}: ${violation}`);
      }
    }
    expect(found).toEqual([]);
  });
}

for (const viewport of kioskWindows) {
  test(`shows the whole head of a standing person in ${viewport.width} × ${viewport.height}`, async ({ show }) => {
    const page = await show('', viewport);
    for (const name of ['attempt-look', 'attempt-staff', 'attempt-right-hint']) {
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
      expect(seen?.ofHeight, name).toBeGreaterThan(0.995);
      expect(seen?.ofWidth, name).toBeGreaterThan(0.745);
      expect(seen, name).toMatchObject({ isInWindow: true, scrolls: false });
      expect(seen?.ofWindow, name).toBeGreaterThan(0.2);
    }
  });
}

for (const forcedColors of ['none', 'active'] as const) {
  test(`tells the four results apart with forced colours: ${forcedColors}`, async ({ show }) => {
    const page = await show('', { width: 1280, height: 800 });
    await page.emulateMedia({ forcedColors });
    const shown = [];
    for (const name of ['result-match', 'result-let-in-before', 'result-not-enrolled', 'result-no-match']) {
      await showScreen(page, name);
      shown.push(
        await page.evaluate(() => {
          const sign = document.querySelector('.sign');
          const figure = sign?.querySelector('.sign-figure');
          const reason = document.querySelector('.result-reason');
          return {
            title: document.querySelector('h1')?.textContent ?? '',
            outline: sign?.querySelector('.sign-outline')?.innerHTML ?? '',
            figure: figure?.innerHTML ?? '',
            isFigureVisible:
              sign !== null && figure != null && getComputedStyle(figure).stroke !== getComputedStyle(sign).color,
            signPx: sign?.getBoundingClientRect().width ?? 0,
            titlePx: Number.parseFloat(getComputedStyle(document.querySelector('h1') ?? document.body).fontSize),
            reasonPx: reason === null ? null : Number.parseFloat(getComputedStyle(reason).fontSize),
            fillsScreen: (document.querySelector('#app')?.getBoundingClientRect().height ?? 0) >= innerHeight,
          };
        }),
      );
    }
    for (const part of ['title', 'outline', 'figure'] as const) {
      expect(new Set(shown.map((result) => result[part])).size, part).toBe(4);
    }
    for (const { isFigureVisible, signPx, titlePx, reasonPx, fillsScreen, title } of shown) {
      expect({ title, isFigureVisible, fillsScreen }).toEqual({ title, isFigureVisible: true, fillsScreen: true });
      expect(signPx).toBeGreaterThan(200);
      expect(titlePx).toBeGreaterThan(100);
      if (reasonPx !== null) expect(reasonPx).toBeGreaterThanOrEqual(24);
    }
  });
}

test('shows the whole viewfinder on a lying phone, however long the words beside it', async ({ show }) => {
  const page = await show('lang=de', { width: 667, height: 375 });
  const names = await galleryNames(page);
  const outside: string[] = [];
  for (const name of names.filter((each) => each.startsWith('scan'))) {
    await showScreen(page, name);
    const { y = -1, height = 0 } = (await page.locator('.viewfinder').boundingBox()) ?? {};
    if (y < 0 || y + height > 375) outside.push(`${name}: ${y} to ${y + height}`);
  }
  expect(outside).toEqual([]);
});

// The smallest size is the tightest for texts.
for (const [viewport, isShort] of [
  [{ width: 320, height: 640 }, true],
  [{ width: 320, height: 640 }, false],
  [{ width: 3840, height: 2160 }, false],
] as const) {
  const title = `fits ${viewport.width} × ${viewport.height} in the longest words`;
  test(isShort ? title : `${title}: every screen`, isShort ? {} : long, async ({ show }) => {
    const wrong: string[] = [];
    const names = await galleryNames(await show(''));
    for (const [language, shown] of isShort
      ? inTurn(names, languages)
      : languages.map((each) => [each, names] as const)) {
      const page = await show(`lang=${language}`, viewport);
      for (const name of shown) {
        await showScreen(page, name);
        const look = () =>
          page.evaluate((shownName) => {
            const place = document.querySelector('.place')?.getBoundingClientRect();
            const hasPlace = place !== undefined && place.top >= 0 && place.bottom <= innerHeight && place.width > 50;
            const { scrollWidth, clientWidth } = document.documentElement;
            const cut = [...document.querySelectorAll('main button, header button, main p, main h1')].filter(
              (element) => element.getBoundingClientRect().right > clientWidth + 1,
            );
            // Targets of 24 px: WCAG 2.2, 2.5.8.
            const tiny = [...document.querySelectorAll('button, select, input')].filter((control) => {
              const { width, height } = control.getBoundingClientRect();
              return width < 24 || height < 24;
            });
            return [
              ...(hasPlace || !/^(scan|attempt|result|not-ready|device)/.test(shownName) ? [] : ['shows no names']),
              ...(scrollWidth > clientWidth || cut.length > 0 ? ['scrolls sideways'] : []),
              ...tiny.map(({ textContent }) => `small target ${textContent}`),
            ];
          }, name);
        let faults = await look();
        // A dialog is in the page before it is open.
        for (let looks = 1; faults.length > 0 && looks < 300; looks += 1) {
          await page.waitForTimeout(100);
          faults = await look();
        }
        // One task later, after the screen is painted.
        await page
          .waitForFunction(() => document.activeElement?.closest('h1, dialog, .screen-pin'), undefined, {
            timeout: 30_000,
          })
          .catch(() => faults.push('takes the focus to no heading'));
        wrong.push(...faults.map((fault) => `${language} ${name}: ${fault}`));
      }
    }
    expect(wrong).toEqual([]);
  });
}
