import { readdirSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import { galleryNames, galleryTest, inTurn, long, serveWidgetGallery, showStep } from '../support/galleries.ts';

const test = galleryTest(serveWidgetGallery);

/** Yellow, black, white, a pale and a dark colour, each of which is hardly to be seen somewhere. */
const accents = ['ffe600', '000000', 'ffffff', 'f3e9dc', '1a1a80'];
/** Each accent in both themes, and none; with and without a logo; at top level and in an organiser's page. */
const looks = [
  ...accents.flatMap((accent) => [`theme=light&accent=${accent}&brand`, `theme=dark&accent=${accent}&host=frame`]),
  'theme=light&host=frame&preview',
  'theme=dark&brand&preview',
];
const languages = readdirSync(new URL('../../../widget/src/page/text/', import.meta.url)).flatMap(
  (file) => /^(.+)\.json$/.exec(file)?.[1] ?? [],
);
/** The narrowest width is the tightest for texts. */
const widths = [320, 480, 1280, 2560];
/** The tightest windows of each kind first: phones upright and turned, a tablet, computers, a screen on a stand. */
const windows = [
  [640, 400],
  [320, 568],
  [667, 375],
  [1280, 800],
  [360, 640],
  [390, 844],
  [820, 1180],
  [1920, 1080],
  [1080, 1920],
] as const;

/** Steps that differ only in texts: a short run takes one of each kind. */
function shortOf(names: readonly string[]): readonly string[] {
  const kindOf = (name: string) => /^(hint|refused|file|ended)-/.exec(name)?.[1] ?? name;
  return names.filter((name, i) => names.findIndex((other) => kindOf(other) === kindOf(name)) === i);
}

async function violationsOf(show: (query: string) => Promise<Page>, query: string, names: readonly string[]) {
  const page = await show(query);
  const found: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(message.text());
  });
  for (const name of names) {
    await showStep(page, name);
    for (const violation of await axeViolations(page)) found.push(`${query} ${name}: ${violation}`);
  }
  return found;
}

test('has no violations by axe, in light and dark, in any colour, each step in one of them', async ({ show }) => {
  const names = await galleryNames(await show(''));
  expect(names.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const [look, shown] of inTurn(shortOf(names), looks)) found.push(...(await violationsOf(show, look, shown)));
  expect(found).toEqual([]);
});
for (const look of looks)
  test(`has no violations by axe at any step: ${look}`, long, async ({ show }) => {
    expect(await violationsOf(show, look, await galleryNames(await show('')))).toEqual([]);
  });

/** The parts of axe that calculate with colours. */
interface AxeColours {
  readonly axe: {
    readonly commons: {
      readonly color: {
        readonly Color: new () => { parseString(colour: string): unknown };
        getContrast(a: unknown, b: unknown): number;
      };
    };
  };
}

/** @param hex `rrggbb` */
const rgbOf = (hex: string) => `rgb(${[0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

test('keeps an accent as it is, with an edge that is seen', async ({ show }) => {
  for (const look of looks) {
    const page = await show(look);
    const wanted = new URLSearchParams(look).get('accent');
    for (const [name, part] of [
      ['consent-ticked', '.svc-check-box:checked'],
      ['check', '.svc-button[data-kind="primary"]'],
    ] as const) {
      await showStep(page, name);
      expect(await axeViolations(page)).toEqual([]);
      const drawn = page.locator(part).first();
      const { fill, edge } = await drawn.evaluate((element) => {
        const { backgroundColor, borderTopColor } = getComputedStyle(element);
        const ground = getComputedStyle(document.querySelector('#app') ?? element).backgroundColor;
        const { Color, getContrast } = (globalThis as unknown as AxeColours).axe.commons.color;
        const [a, b] = [borderTopColor, ground].map((text) => {
          const colour = new Color();
          colour.parseString(text);
          return colour;
        });
        return { fill: backgroundColor, edge: getContrast(a, b) };
      });
      if (wanted !== null) expect([look, part, fill]).toEqual([look, part, rgbOf(wanted)]);
      expect(edge, `${look} ${part}`).toBeGreaterThanOrEqual(3);
    }
  }
});

/** Roles that need a name (WAI-ARIA 1.2), in Chromium's terms. */
const NAMED =
  /^(button|link|checkbox|combobox|menuitem|option|textbox|heading|img|image|figure|Video|Canvas|navigation)$/i;

test('has a name for whatever a screen reader comes to, and a heading to begin with', long, async ({ show }) => {
  const wrong: string[] = [];
  const page = await show('lang=en');
  const session = await page.context().newCDPSession(page);
  await session.send('Accessibility.enable');
  for (const name of await galleryNames(page)) {
    await showStep(page, name);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const found = nodes
      .filter(({ ignored }) => !ignored)
      .map((node) => ({ role: String(node.role?.value), name: String(node.name?.value ?? '').trim() }));
    for (const { role } of found.filter((node) => NAMED.test(node.role) && node.name === ''))
      wrong.push(`${name}: ${role} without a name`);
    for (const landmark of ['main', 'heading'])
      if (!found.some(({ role }) => role === landmark)) wrong.push(`${name}: no ${landmark}`);
    const first = await page
      .locator('main :is(h1, h2, p, button)')
      .first()
      .evaluate(({ tagName }) => tagName);
    if (first !== 'H1') wrong.push(`${name}: begins with ${first}`);
  }
  expect(wrong).toEqual([]);
});

/** What does not fit the window. */
const misfitsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const cut = [...document.querySelectorAll('button, p, h1, h2, label, a')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (left < -1 || right > clientWidth + 1);
    });
    // Targets of 24 px: WCAG 2.2, 2.5.8. Links in sentences are exempt.
    const tiny = [...document.querySelectorAll('button, select, input:not([hidden])')].filter((control) => {
      const { width, height } = control.getBoundingClientRect();
      return width < 24 || height < 24;
    });
    const logo = document.querySelector<HTMLImageElement>('.logo');
    return [
      ...(scrollWidth > clientWidth ? ['scrolls sideways'] : []),
      ...cut.map(({ textContent }) => `cut off: ${textContent}`),
      ...tiny.map(({ textContent }) => `small target: ${textContent}`),
      ...(logo !== null && logo.naturalWidth === 0 ? ['no logo'] : []),
    ];
  });

for (const width of widths) {
  const isTightest = width === widths[0];
  test(
    `fits ${width} px in the longest words, from the left and from the right`,
    isTightest ? {} : long,
    async ({ show }) => {
      const names = await galleryNames(await show(''));
      const wrong: string[] = [];
      const chosen = isTightest
        ? inTurn(shortOf(names), ['de', 'pl'])
        : languages.map((each) => [each, names] as const);
      for (const [language, shown] of chosen) {
        const page = await show(`lang=${language}`, { width, height: 640 });
        for (const [i, name] of shown.entries()) {
          await showStep(page, name);
          // Half of them as a right-to-left language.
          await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), i % 2 === 0 ? 'rtl' : 'ltr');
          wrong.push(...(await misfitsOf(page)).map((fault) => `${language} ${name}: ${fault}`));
        }
      }
      const branded = await show('brand&preview');
      for (const name of ['consent', 'camera-loading', 'done']) {
        await showStep(branded, name);
        wrong.push(...(await misfitsOf(branded)).map((fault) => `branded ${name}: ${fault}`));
      }
      expect(wrong).toEqual([]);
    },
  );
}

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

for (const [i, [width, height]] of windows.entries()) {
  test(`${width} × ${height} shows picture, oval, hint and main button`, i < 4 ? {} : long, async ({ show }) => {
    const faults: string[] = [];
    for (const host of ['link', 'frame']) {
      const page = await show(`lang=de&host=${host}`, { width, height });
      for (const step of [
        ...['camera-loading', 'camera-good', 'hint-several-faces', 'camera-again'],
        ...['check', 'check-flawed', 'sending'],
      ]) {
        await showStep(page, step);
        const seen = await page.evaluate(() => {
          /** The share of an element that the window shows. */
          const visible = (selector: string): number | null => {
            const box = document.querySelector(selector)?.getBoundingClientRect();
            if (box === undefined) return null;
            const across = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
            const down = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
            return (Math.max(0, across) * Math.max(0, down)) / (box.width * box.height);
          };
          const picture = document.querySelector('.picture')?.getBoundingClientRect();
          return {
            picture: visible('.picture'),
            oval: visible('.oval-ring'),
            hint: visible('.hint'),
            button: visible('[data-kind="primary"]'),
            shorter: Math.min(picture?.width ?? 0, picture?.height ?? 0),
          };
        });
        const where = `${host} ${step}`;
        if ((seen.picture ?? 0) < 0.9) faults.push(`${where}: ${seen.picture} of the picture`);
        for (const part of ['oval', 'hint', 'button'] as const)
          if ((seen[part] ?? 1) < 0.999) faults.push(`${where}: ${seen[part]} of the ${part}`);
        // Large enough to see oneself.
        if (seen.shorter < Math.min(0.6 * Math.min(width, height), 440)) faults.push(`${where}: ${seen.shorter} px`);
      }
    }
    expect(faults).toEqual([]);
  });
}

test.describe('the consent', () => {
  const coveredShare = (page: Page) =>
    page.evaluate(() => {
      const { sticky } = document.querySelector<HTMLElement>('.consent')?.dataset ?? {};
      const parts = sticky === 'whole' ? '.decision, .choices' : sticky === 'choices' ? '.choices' : 'none';
      const heights = [...document.querySelectorAll<HTMLElement>(parts)].map(({ offsetHeight }) => offsetHeight);
      return heights.reduce((sum, px) => sum + px, 0) / innerHeight;
    });

  test.describe('on a phone', () => {
    test.use({ isMobile: true, hasTouch: true });
    for (const lang of ['en', 'de']) {
      test(`is under one and a half screens of a phone until its text is unfolded: ${lang}`, async ({ show }) => {
        const page = await show(`lang=${lang}`, { width: 390, height: 844 });
        await showStep(page, 'consent');
        const heights = () => page.evaluate(() => [document.documentElement.scrollHeight, innerHeight] as const);
        const [folded, screen] = await heights();
        expect(folded).toBeLessThan(1.5 * screen);
        await expect(page.locator('.choices')).toBeInViewport({ ratio: 1 });
        await page.locator('.full-text > summary').click();
        expect((await heights())[0]).toBeGreaterThan(folded + screen / 2);
        await expect(page.locator('.choices')).toBeInViewport({ ratio: 1 });
      });
    }
  });

  for (const [how, width, height, fontSize] of [
    ['at twice the size', 640, 640, '200%'],
    ['on a screen of 320 × 256', 320, 256, '100%'],
  ] as const) {
    test(`leaves room to read ${how}`, async ({ show }) => {
      const page = await show('lang=en', { width, height });
      await showStep(page, 'consent');
      await page.evaluate(
        (size) => document.documentElement.style.setProperty('font-size', size, 'important'),
        fontSize,
      );
      await expect.poll(() => coveredShare(page)).toBeLessThanOrEqual(0.4);
      await page.locator('#app:not([data-fresh])').waitFor();
      // What has the focus is not covered.
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
});
