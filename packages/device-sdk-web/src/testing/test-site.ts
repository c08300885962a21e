import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { AssetManifest } from '../assets/asset-manifest.ts';

export interface TestSite {
  readonly url: string;
  close(): Promise<void>;
}

/** What the docs demand of a page with a device in it, and nothing more. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
].join('; ');

/**
 * A page with `globalThis.svcPage` of `page.ts` in it, on a free port of the loopback interface.
 * @param assets a folder of `buildDeviceAssets`, served below `/assets/` with the headers that its manifest names
 */
export async function startTestSite(assets?: {
  readonly directory: string;
  readonly manifest: AssetManifest;
}): Promise<TestSite> {
  const script = await bundlePage();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });

  async function answer({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url === '/') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': PAGE_POLICY });
      response.end('<!doctype html><title>device</title><script src="/page.js"></script>');
    } else if (url === '/page.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    } else {
      const file = assets?.manifest.files.find(({ path }) => url === `/assets/${path}`);
      if (assets === undefined || file === undefined) response.writeHead(404).end();
      else response.writeHead(200, file.headers).end(await readFile(join(assets.directory, file.path)));
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./page.ts', import.meta.url))],
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
