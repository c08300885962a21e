import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import type { PixelImage } from '@svc/core';
import { bundleScript, type SitePart, startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import { expect, test } from '../support/browser-test.ts';
import { fileWithType } from '../support/galleries.ts';
import type { EngineAnswer, EngineRequest } from './chromium/worker.ts';

/** The page may run its own scripts only; the worker has its own policy, with what the engine needs. */
const pagePolicy = "default-src 'none'; script-src 'self'; worker-src 'self'";
const workerPolicies: Readonly<Record<string, string>> = {
  '/tfjs-tflite-worker.js': "default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src 'self'",
  '/litert-worker.js': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
};

const page = '<!doctype html><title>engine</title>';

/** Serves the bundled worker, the runtimes, the models and one picture. */
async function startEngineSite(picture: PixelImage): Promise<TestSite> {
  return startTestSite({ parts: [await pageAndWorkers(), pictureAt('/picture', picture), runtimesAndModels()] });
}

async function pageAndWorkers(): Promise<SitePart> {
  const worker = await bundleScript(new URL('./chromium/worker.ts', import.meta.url));
  return (path) => {
    if (path === '/')
      return { body: page, headers: { 'content-type': 'text/html', 'content-security-policy': pagePolicy } };
    const policy = workerPolicies[path];
    if (policy === undefined) return null;
    return { body: worker, headers: { 'content-type': 'text/javascript', 'content-security-policy': policy } };
  };
}

const pictureAt =
  (at: string, picture: PixelImage): SitePart =>
  (path) =>
    path === at
      ? { body: Uint8Array.from(picture.data), headers: { 'content-type': 'application/octet-stream' } }
      : null;

function runtimesAndModels(): SitePart {
  const engine = createRequire(createRequire(import.meta.url).resolve('@svc/face-engine/package.json'));
  const models = join(dirname(engine.resolve('@svc/face-models/package.json')), 'dist', 'models');
  const folders: Readonly<Record<string, string>> = {
    'tfjs-tflite': dirname(engine.resolve('@tensorflow/tfjs-tflite/wasm/tflite_web_api_cc_simd.js')),
    litert: dirname(engine.resolve('@litertjs/core/wasm/litert_wasm_internal.js')),
    models,
  };
  return async (path) => {
    const [, folder = '', file = ''] = path.split('/');
    const from = folders[folder];
    if (from === undefined || !/^[\w.-]+$/.test(file)) return null;
    return fileWithType(join(from, file));
  };
}

/** Runs in the page, so it uses no names of Node. */
interface PageScope {
  Worker: new (
    url: string,
  ) => {
    postMessage(request: EngineRequest): void;
    terminate(): void;
    onmessage: (event: { data: EngineAnswer }) => void;
    onerror: (event: { message: string }) => void;
  };
}

function askWorker(request: EngineRequest): Promise<EngineAnswer> {
  const { Worker } = globalThis as unknown as PageScope;
  const worker = new Worker(`/${request.runtime}-worker.js`);
  return new Promise((resolve) => {
    const finish = (answer: EngineAnswer): void => {
      worker.terminate();
      resolve(answer);
    };
    worker.onmessage = ({ data }) => finish(data);
    worker.onerror = ({ message }) => finish({ error: message });
    worker.postMessage(request);
  });
}

/** Enrols in a worker of the page. */
async function enrolIn(
  page: Page,
  runtime: EngineRequest['runtime'],
  { width, height }: PixelImage,
): Promise<Exclude<EngineAnswer, { error: string }>> {
  const answer = await page.evaluate(askWorker, { runtime, picture: { url: '/picture', width, height } });
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}

test('the engine in Chromium makes the same template as Node, in a worker with its own policy', async ({ page }) => {
  const head = { width: 320, height: 240, seed: identitySeed(0), distance: 0.9, yawDeg: 8 };
  const { data, width, height } = renderHead(head);
  const picture: PixelImage = { data: data.filter((_, i) => i % 4 !== 3), width, height, channels: 3 };
  const { engine } = await createNodeFaceEngine({ addOnDirectory: null });
  const result = await engine.enrol(picture);
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
  const site = await startEngineSite(picture);
  await page.goto(site.url);
  // Bit for bit.
  const { reference, yawDeg } = await enrolIn(page, 'tfjs-tflite', picture);
  expect(Float32Array.from(reference)).toEqual(result.reference);
  expect(yawDeg).toBeGreaterThan(0);
  // On LiteRT without unsafe-eval, up to rounding.
  const { reference: onLiteRt } = await enrolIn(page, 'litert', picture);
  expect(engine.core.cosine(result.reference, Float32Array.from(onLiteRt))).toBeGreaterThan(0.9999);
  await site.close();
});
