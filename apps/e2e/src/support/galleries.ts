import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { test as base, type Page } from '@playwright/test';
import { startTestSite } from '@svc/device-sdk-web/testing';
import { sceneJpeg } from '../widget/scenes.ts';

/** A bundled gallery of everything that a page can show, on the loopback. */
export interface ServedGallery {
  /** The page's address. */
  readonly url: string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

/** A file with the content type of its name. */
export const fileWithType = async (path: string) => ({
  body: await readFile(path),
  headers: { 'content-type': types[extname(path)] ?? 'application/octet-stream' },
});

/** @param bundle into a folder; returns the page's path below it @param policy content security policy of the page */
async function serve(bundle: (folder: string) => Promise<string>, policy: string): Promise<ServedGallery> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-gallery-'));
  const path = await bundle(folder);
  const site = await startTestSite({
    parts: [
      async (asked) => {
        const { body, headers } = await fileWithType(join(folder, asked));
        return { body, headers: { ...headers, 'content-security-policy': policy } };
      },
    ],
  });
  return {
    url: `${site.url}/${path}`,
    async close() {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The bundlers are loaded on demand. */
export async function serveKioskGallery(): Promise<ServedGallery> {
  const { bundleGallery, PAGE_POLICY } = await import('@svc/kiosk/build');
  return serve(bundleGallery, PAGE_POLICY);
}

/** With a rendered guest. */
export async function serveWidgetGallery(): Promise<ServedGallery> {
  const { bundleGallery, PAGE_POLICY } = await import('@svc/widget/build');
  return serve(async (folder) => {
    const path = await bundleGallery(folder);
    await writeFile(join(folder, path, '..', 'face.jpg'), Buffer.from(await sceneJpeg('good'), 'base64'));
    return path;
  }, PAGE_POLICY);
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

/** Phones upright and lying, a tablet, a laptop, a wide screen, a screen on a stand; CSS pixels. */
export const kioskWindows = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 667, height: 375 },
  { width: 820, height: 1180 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 1080, height: 1920 },
] as const;

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

/** Every name for one of the choices, in turn. */
export function inTurn<T>(
  names: readonly string[],
  choices: readonly T[],
): readonly (readonly [T, readonly string[]])[] {
  return choices.map((choice, k) => [choice, names.filter((_, i) => i % choices.length === k)] as const);
}

/** Tests of a gallery, which is bundled once a worker. */
export const galleryTest = (serveGallery: () => Promise<ServedGallery>) =>
  base.extend<
    { readonly show: (query: string, viewport?: { width: number; height: number }) => Promise<Page> },
    { readonly gallery: ServedGallery }
  >({
    gallery: [
      async ({ browserName: _ }, use) => {
        const gallery = await serveGallery();
        await use(gallery);
        await gallery.close();
      },
      { scope: 'worker', timeout: 120_000 },
    ],
    async show({ gallery, page }, use) {
      await use(async (query, viewport) => {
        if (viewport !== undefined) await page.setViewportSize(viewport);
        await page.goto(`${gallery.url}?${query}`);
        return page;
      });
    },
  });

/** Of tests of every state in every look; a short run looks at each state in one of them. */
export const long = { tag: '@long' };
