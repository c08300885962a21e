import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import type { Page } from 'playwright-core';
import { sceneJpeg } from './scenes.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
};

/** A bundled gallery of the widget's steps on the loopback, with somebody rendered before its camera. */
export interface WidgetGallery {
  /** The page's address. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * @param folder where the gallery was bundled to
 * @param path the page's, below it
 * @param policy content security policy of what is served
 */
export async function serveGallery(folder: string, path: string, policy: string): Promise<WidgetGallery> {
  await writeFile(join(folder, path, '..', 'face.jpg'), Buffer.from(await sceneJpeg('good'), 'base64'));
  const site: TestSite = await startTestSite({
    parts: [
      async (asked) => ({
        body: await readFile(join(folder, asked)),
        headers: {
          'content-type': types[extname(asked)] ?? 'application/octet-stream',
          'content-security-policy': policy,
        },
      }),
    ],
  });
  return { url: `${site.url}/${path}`, close: () => site.close() };
}

/** Names of all that the gallery can show. */
export async function stepNames(page: Page): Promise<readonly string[]> {
  const names = await page.locator('#app[data-names]').getAttribute('data-names');
  return (names ?? '').split(' ');
}

/** Shows a step, whole: with its texts, and with the pictures in it painted. */
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
    // The place of the camera's picture takes its shape from the first frame.
    const hasShape = video?.parentElement?.style.getPropertyValue('--picture-ratio') !== '';
    return (video === null || (video.readyState >= 2 && hasShape)) && pixel !== 0;
  });
}
