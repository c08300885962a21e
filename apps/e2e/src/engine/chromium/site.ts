import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { bundleScript, type SitePart, startTestSite, type TestSite } from '@svc/device-sdk-web/testing';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

/** The page may run its own scripts and nothing more; what needs more runs in the worker, under the worker's own policy. */
const pagePolicy = "default-src 'none'; script-src 'self'; worker-src 'self'";
const workerPolicies: Readonly<Record<string, string>> = {
  '/tfjs-tflite-worker.js': "default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src 'self'",
  '/litert-worker.js': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
};

const page = '<!doctype html><title>engine</title>';

/** Serves the bundled worker, the runtimes, the models and one picture. */
export async function startEngineSite(picture: PixelImage): Promise<TestSite> {
  return startTestSite({ parts: [await pageAndWorkers(), pictureAt('/picture', picture), runtimesAndModels()] });
}

async function pageAndWorkers(): Promise<SitePart> {
  const worker = await bundleScript(new URL('./worker.ts', import.meta.url));
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
    return {
      body: await readFile(join(from, file)),
      headers: { 'content-type': types[extname(file)] ?? 'application/octet-stream' },
    };
  };
}
