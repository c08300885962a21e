import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, type Page, type TestDetails } from '@playwright/test';
import { sceneJpeg } from '../widget/scenes.ts';

/** A bundled gallery of everything that a page can show, in a folder. */
interface Gallery {
  readonly folder: string;
  /** The page's path below it. */
  readonly path: string;
  /** Content security policy of the page. */
  readonly policy: string;
}

/** The bundlers are loaded on demand. */
export async function bundleKioskGallery(folder: string): Promise<Gallery> {
  const { bundleGallery, PAGE_POLICY } = await import('@svc/kiosk/build');
  return { folder, path: await bundleGallery(folder), policy: PAGE_POLICY };
}

/** With a rendered guest and the published wordings. */
export async function bundleWidgetGallery(folder: string): Promise<Gallery> {
  const { bundleGallery, PAGE_POLICY } = await import('@svc/widget/build');
  const { wordingFor, wordingLanguages } = await import('@svc/api/wording');
  const wordings = wordingLanguages('eu-v2').map((language) => [language, wordingFor('eu-v2', language).wording]);
  const path = await bundleGallery(folder, Object.fromEntries(wordings));
  await writeFile(join(folder, path, '..', 'face.jpg'), Buffer.from(await sceneJpeg('good'), 'base64'));
  return { folder, path, policy: PAGE_POLICY };
}

/** Names of everything that an open gallery can show. */
export async function galleryNames(page: Page): Promise<readonly string[]> {
  return ((await page.locator('#app[data-names]').getAttribute('data-names')) ?? '').split(' ');
}

/** Shows a step of the widget, and waits until its texts, pictures and the camera's shape are there. */
export async function showStep(page: Page, name: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, name);
  const step = name.split('-')[0]?.replace(/^(hint|file)$/, 'camera');
  await page.locator(`#app[data-shown="${name}"] [data-screen="${step}"]`).waitFor();
  await page.waitForFunction(() => {
    const video = document.querySelector('video');
    const canvas = document.querySelector('canvas');
    const pixel = canvas?.getContext('2d')?.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[3];
    const hasImages = [...document.images].every(({ naturalWidth }) => naturalWidth > 0);
    // The camera element's aspect ratio comes from the first frame.
    const shape = document.querySelector<HTMLElement>('.stage')?.style.getPropertyValue('--picture-ratio');
    return (video === null || video.readyState >= 2) && pixel !== 0 && hasImages && shape !== '';
  });
}

/** Shows a screen of the kiosk, and waits until the camera's picture, if any, has its shape. */
export async function showScreen(page: Page, name: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, name);
  await page.locator(`#app[data-shown="${name}"] main h1`).waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLElement>('.live-picture')?.style.getPropertyValue('--ratio') !== '',
  );
}

/** What does not fit the window. @param texts the selector of what may not be cut off */
export const misfitsOf = (page: Page, texts: string): Promise<readonly string[]> =>
  page.evaluate((selector) => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const cut = [...document.querySelectorAll(selector)].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (left < -1 || right > clientWidth + 1);
    });
    // Targets of 24 px: WCAG 2.2, 2.5.8. Links in sentences are exempt.
    const tiny = [...document.querySelectorAll('button, select, input:not([hidden])')].filter((control) => {
      const { width, height } = control.getBoundingClientRect();
      return width < 24 || height < 24;
    });
    return [
      ...(scrollWidth > clientWidth ? ['scrolls sideways'] : []),
      ...cut.map(({ textContent }) => `cut off: ${textContent}`),
      ...tiny.map(({ textContent }) => `small target: ${textContent}`),
    ];
  }, texts);

type Spread = <T>(
  names: readonly string[],
  choices: readonly T[],
  oneOf?: number,
) => readonly (readonly [T, readonly string[]])[];

/** A short run shows one of `oneOf` names, each in one of the choices, in turn; a long one shows each name in each. */
export const runs: readonly { readonly run: string; readonly details: TestDetails; readonly spread: Spread }[] = [
  {
    ...{ run: 'each in one of them', details: {} },
    spread: (names, choices, oneOf = 1) => {
      const some = names.filter((_, i) => i % oneOf === 0);
      return choices.map((choice, k) => [choice, some.filter((_, i) => i % choices.length === k)] as const);
    },
  },
  {
    ...{ run: 'each in all of them', details: { tag: '@long' } },
    spread: (names, choices) => choices.map((choice) => [choice, names] as const),
  },
];

/** Answered from the folder. */
const ORIGIN = 'http://localhost:9';

/** Tests of a gallery, which is bundled once a worker. */
export const galleryTest = (bundle: (folder: string) => Promise<Gallery>) =>
  base.extend<
    { readonly show: (query: string, viewport?: { width: number; height: number }) => Promise<Page> },
    { readonly gallery: Gallery }
  >({
    gallery: [
      async ({ browserName: _ }, use) => {
        const folder = await mkdtemp(join(tmpdir(), 'svc-gallery-'));
        await use(await bundle(folder));
        await rm(folder, { recursive: true, force: true });
      },
      { scope: 'worker', timeout: 120_000 },
    ],
    async show({ gallery: { folder, path, policy }, page }, use) {
      await page.route(`${ORIGIN}/**`, (route) => {
        const file = join(folder, new URL(route.request().url()).pathname);
        return route.fulfill({ path: file, headers: { 'content-security-policy': policy } });
      });
      await use(async (query, viewport) => {
        if (viewport !== undefined) await page.setViewportSize(viewport);
        await page.goto(`${ORIGIN}/${path}?${query}`);
        return page;
      });
    },
  });
