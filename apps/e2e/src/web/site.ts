import { readFile } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AssetManifest } from '@svc/device-sdk-web/assets';
import { build } from 'esbuild';

/** A page with a device in it, of the same origin as the service: what is below `/v1/` goes there. */
export interface DeviceSite {
  readonly url: string;
  close(): Promise<void>;
}

export interface DeviceSiteOptions {
  readonly serviceUrl: string;
  readonly assets: { readonly directory: string; readonly manifest: AssetManifest };
  /** JPEG by name, served as `/frames/NAME.jpg`. */
  readonly frames: ReadonlyMap<string, Uint8Array>;
}

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
].join('; ');

const PAGE = '<!doctype html><title>door</title><video></video><script src="/page.js"></script>';

export async function startDeviceSite({ serviceUrl, assets, frames }: DeviceSiteOptions): Promise<DeviceSite> {
  const script = await bundlePage();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const asset = assets.manifest.files.find((file) => path === `/assets/${file.path}`);
    const frame = frames.get(/^\/frames\/([\w-]+)\.jpg$/.exec(path)?.[1] ?? '');
    if (path.startsWith('/v1/')) passOn(request, response, serviceUrl);
    else if (asset !== undefined) {
      response.writeHead(200, asset.headers).end(await readFile(join(assets.directory, asset.path)));
    } else if (frame !== undefined) response.writeHead(200, { 'content-type': 'image/jpeg' }).end(frame);
    else if (path === '/page.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else if (path === '/') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': PAGE_POLICY }).end(PAGE);
    } else response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function passOn(request: IncomingMessage, response: ServerResponse, serviceUrl: string): void {
  const onward = forward(new URL(request.url ?? '/', serviceUrl), { method: request.method, headers: request.headers });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
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
