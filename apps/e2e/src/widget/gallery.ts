import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { serveFolder } from '../support/gallery.ts';
import { sceneJpeg } from './scenes.ts';

/** A bundled gallery of the widget's steps on the loopback, with a rendered guest. */
export interface WidgetGallery {
  /** The page's address. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * @param folder of the bundled gallery
 * @param path of the page, below it
 * @param policy content security policy of the responses
 */
export async function serveGallery(folder: string, path: string, policy: string): Promise<WidgetGallery> {
  await writeFile(join(folder, path, '..', 'face.jpg'), Buffer.from(await sceneJpeg('good'), 'base64'));
  const site = await serveFolder(folder, policy);
  return { url: `${site.url}/${path}`, close: () => site.close() };
}

/**
 * Shows a step and waits until its texts are there, its pictures painted and its camera's picture in shape.
 * @param o.shapedWithinMs for pages of older commits, of which some never give it one; default: until it has
 */
export async function showStep(page: Page, name: string, o: { readonly shapedWithinMs?: number } = {}): Promise<void> {
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
    return (video === null || video.readyState >= 2) && pixel !== 0 && hasImages;
  });
  // The camera element's aspect ratio comes from the first frame.
  const hasShape = () =>
    document.querySelector<HTMLElement>('.stage')?.style.getPropertyValue('--picture-ratio') !== '';
  const { shapedWithinMs } = o;
  if (shapedWithinMs === undefined) await page.waitForFunction(hasShape);
  else await page.waitForFunction(hasShape, undefined, { timeout: shapedWithinMs }).catch(() => undefined);
}
