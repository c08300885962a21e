import { expect, type Page } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import { bundleWidgetGallery, galleryNames, galleryTest, misfitsOf, runs, showStep } from '../support/galleries.ts';

const test = galleryTest(bundleWidgetGallery);

/** Yellow, black, white, a pale and a dark colour, each of which is hardly to be seen somewhere. */
const accents = ['ffe600', '000000', 'ffffff', 'f3e9dc', '1a1a80'];
/** Each accent in both themes, and none; with and without a logo; at top level and in an organiser's page. */
const looks = [
  ...accents.flatMap((accent) => [`theme=light&accent=${accent}&brand`, `theme=dark&accent=${accent}&host=frame`]),
  'theme=light&host=frame&preview',
  'theme=dark&brand&preview',
];
/** Those with the longest words, each in the narrowest window and in a wide one. */
const fits = ['de', 'pl', 'fr'].flatMap((lang) => [320, 1280].map((width) => ({ lang, width })));
/** The tightest windows of each kind: phones upright and turned, a tablet, computers. */
const windows = [
  [320, 568],
  [390, 844],
  [667, 375],
  [640, 400],
  [820, 1180],
  [1280, 800],
].map(([width = 0, height = 0]) => ({ width, height }));
const ofCamera = ['camera-loading', 'camera-good', 'hint-several-faces', 'camera-again'];

for (const { run, details, spread } of runs) {
  test(`no step has violations by axe, in light and dark, in any colour: ${run}`, details, async ({ show }) => {
    const names = await galleryNames(await show(''));
    expect(names.length).toBeGreaterThan(50);
    const found: string[] = [];
    for (const [look, shown] of spread(names, details.tag === undefined ? looks.slice(-4) : looks, 3)) {
      const page = await show(look);
      for (const name of shown) {
        await showStep(page, name);
        found.push(...(await axeViolations(page)).map((violation) => `${look} ${name}: ${violation}`));
      }
    }
    expect(found).toEqual([]);
  });

  test(`steps fit in the longest words, from the left and from the right: ${run}`, details, async ({ show }) => {
    const wrong: string[] = [];
    for (const [{ lang, width }, shown] of spread(await galleryNames(await show('')), fits, 3)) {
      const page = await show(`lang=${lang}&brand&preview`, { width, height: 640 });
      for (const [i, name] of shown.entries()) {
        await showStep(page, name);
        // Half of them as a right-to-left language.
        await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), i % 2 === 0 ? 'rtl' : 'ltr');
        wrong.push(
          ...(await misfitsOf(page, 'button, p, h1, h2, label, a')).map(
            (fault) => `${lang} ${width} ${name}: ${fault}`,
          ),
        );
      }
    }
    expect(wrong).toEqual([]);
  });

  test(`picture, oval, hint and main button are to be seen in any window: ${run}`, details, async ({ show }) => {
    const faults: string[] = [];
    const places = windows.flatMap((size) => ['link', 'frame'].map((host) => ({ size, host })));
    for (const [{ size, host }, shown] of spread([...ofCamera, 'check', 'check-flawed', 'sending'], places)) {
      const page = await show(`lang=de&host=${host}`, size);
      for (const step of shown) {
        await showStep(page, step);
        faults.push(
          ...(await hiddenOf(page)).map((fault) => `${size.width} × ${size.height} ${host} ${step}: ${fault}`),
        );
      }
    }
    expect(faults).toEqual([]);
  });
}

/** What of the camera's step is not to be seen without scrolling. */
const hiddenOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const visible = (selector: string): number => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      if (box === undefined) return 1;
      const across = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
      const down = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
      return (Math.max(0, across) * Math.max(0, down)) / (box.width * box.height);
    };
    const { width = 0, height = 0 } = document.querySelector('.picture')?.getBoundingClientRect() ?? {};
    // Large enough to see oneself.
    const leastPx = Math.min(0.6 * Math.min(innerWidth, innerHeight), 440);
    return [
      ...['.oval-ring', '.hint', '[data-kind="primary"]'].filter((part) => visible(part) < 0.999),
      ...(visible('.picture') < 0.9 || Math.min(width, height) < leastPx ? [`picture of ${width} × ${height}`] : []),
    ];
  });

test('fits with text at twice the size, and has no animation if reduced motion is set', async ({ show }) => {
  const page = await show('lang=de', { width: 640, height: 640 });
  for (const name of ['loading', 'camera-good', 'sending', 'done']) {
    await showStep(page, name);
    expect([name, await page.evaluate(() => document.getAnimations().length)]).toEqual([name, 0]);
  }
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  for (const name of ['consent-asked', 'camera-good', 'refused-blurred', 'check', 'done']) {
    await showStep(page, name);
    const isWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect([name, await page.evaluate(isWide)]).toEqual([name, false]);
  }
});

test.describe('the consent on a phone', () => {
  test.use({ isMobile: true, hasTouch: true });
  test('is under one and a half screens until its text is unfolded', async ({ show }) => {
    const page = await show('lang=de', { width: 390, height: 844 });
    await showStep(page, 'consent');
    const heights = () => page.evaluate(() => [document.documentElement.scrollHeight, innerHeight] as const);
    const [folded, screen] = await heights();
    expect(folded).toBeLessThan(1.5 * screen);
    await expect(page.locator('.choices')).toBeInViewport({ ratio: 1 });
    await page.locator('.full-text > summary').click();
    expect((await heights())[0]).toBeGreaterThan(folded + screen / 2);
    await expect(page.locator('.choices')).toBeInViewport({ ratio: 1 });
  });
});

for (const [how, width, height, fontSize] of [
  ['with text at twice the size', 640, 640, '200%'],
  ['on a screen of 320 × 256', 320, 256, '100%'],
] as const) {
  test(`the consent covers nothing that has the focus: ${how}`, async ({ show }) => {
    const page = await show('lang=en', { width, height });
    await showStep(page, 'consent');
    await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size, 'important'), fontSize);
    await page.locator('#app:not([data-fresh])').waitFor();
    for (const name of ['explicitBiometricConsent', 'writtenRelease', 'under16']) {
      const box = page.locator(`[name="${name}"]`);
      await page.evaluate(() => scrollTo(0, 0));
      await box.focus();
      const isOnTop = () =>
        box.evaluate((element) => {
          const { x, y, width: wide, height: tall } = element.getBoundingClientRect();
          return document.elementFromPoint(x + wide / 2, y + tall / 2) === element;
        });
      await expect.poll(isOnTop, name).toBe(true);
    }
  });
}
