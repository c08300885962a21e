import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { bundleScript, type SitePart, startTestSite } from '@svc/device-sdk-web/testing';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import { expect, test } from '../support/browser-test.ts';

/** The page may run its own scripts only; the worker has its own policy, with what the engine needs. */
const pagePolicy = "default-src 'none'; script-src 'self'; worker-src 'self'";
const workerPolicy = "default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src 'self'";

async function pageWorkerAndPicture(picture: PixelImage): Promise<SitePart> {
  const served = (type: string, body: string | Uint8Array, policy = pagePolicy) => ({
    ...{ body, headers: { 'content-type': type, 'content-security-policy': policy } },
  });
  const files: Readonly<Record<string, ReturnType<typeof served>>> = {
    '/': served('text/html', '<!doctype html><title>engine</title>'),
    '/picture': served('application/octet-stream', Uint8Array.from(picture.data)),
    '/worker.js': served('text/javascript', await bundleScript(new URL('worker.ts', import.meta.url)), workerPolicy),
  };
  return (path) => files[path] ?? null;
}

test('the engine in Chromium makes the same template as Node, in a worker with its own policy', async ({ page }) => {
  const head = { width: 320, height: 240, seed: identitySeed(0), distance: 0.9, yawDeg: 8 };
  const { data, width, height } = renderHead(head);
  const picture: PixelImage = { data: data.filter((_, i) => i % 4 !== 3), width, height, channels: 3 };
  const { engine } = await createNodeFaceEngine({ addOnDirectory: null });
  const result = await engine.enrol(picture);
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
  const site = await startTestSite({ parts: [await pageWorkerAndPicture(picture)] });
  const ofEngine = createRequire(createRequire(import.meta.url).resolve('@svc/face-engine/package.json'));
  const folders = {
    'tfjs-tflite': dirname(ofEngine.resolve('@tensorflow/tfjs-tflite/wasm/tflite_web_api_cc_simd.js')),
    models: join(dirname(ofEngine.resolve('@svc/face-models/package.json')), 'dist', 'models'),
  };
  for (const [name, folder] of Object.entries(folders))
    await page
      .context()
      .route(`${site.url}/${name}/*`, (route) =>
        route.fulfill({ path: join(folder, basename(route.request().url())) }),
      );
  await page.goto(site.url);
  const answer = await page.evaluate(
    (size) =>
      new Promise<readonly number[] | string>((resolve) => {
        const worker = new Worker('/worker.js');
        worker.onmessage = ({ data: answered }) => resolve(answered);
        worker.onerror = ({ message }) => resolve(message);
        worker.postMessage(size);
      }),
    { width, height },
  );
  // Bit for bit.
  expect(answer).toEqual([...result.reference]);
  await site.close();
});
