import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PixelImage } from '@svc/core';
import { build } from 'esbuild';

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

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

/** Serves the bundled worker, the runtimes, the models and one picture on a free port of the loopback interface. */
export async function startSite(picture: PixelImage): Promise<Site> {
  const engine = createRequire(createRequire(import.meta.url).resolve('@svc/face-engine/package.json'));
  const models = join(dirname(engine.resolve('@svc/face-models/package.json')), 'dist', 'models');
  const folders: Readonly<Record<string, string>> = {
    'tfjs-tflite': dirname(engine.resolve('@tensorflow/tfjs-tflite/wasm/tflite_web_api_cc_simd.js')),
    litert: dirname(engine.resolve('@litertjs/core/wasm/litert_wasm_internal.js')),
    models,
  };
  const worker = await bundleWorker();

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    answer(path).then(
      ({ body, headers }) => response.writeHead(200, headers).end(body),
      () => response.writeHead(404).end(),
    );
  });

  async function answer(path: string): Promise<{ body: string | Uint8Array; headers: Record<string, string> }> {
    if (path === '/')
      return { body: page, headers: { 'content-type': 'text/html', 'content-security-policy': pagePolicy } };
    const policy = workerPolicies[path];
    if (policy !== undefined) {
      return { body: worker, headers: { 'content-type': 'text/javascript', 'content-security-policy': policy } };
    }
    if (path === '/picture')
      return { body: Uint8Array.from(picture.data), headers: { 'content-type': 'application/octet-stream' } };
    const [, folder = '', file = ''] = path.split('/');
    const from = folders[folder];
    if (from === undefined || !/^[\w.-]+$/.test(file)) throw new Error('not found');
    return {
      body: await readFile(join(from, file)),
      headers: { 'content-type': types[extname(file)] ?? 'application/octet-stream' },
    };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    conditions: ['svc-source'],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('nothing was bundled');
  return file.text;
}
