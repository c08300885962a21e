import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { AssetManifest } from '../assets/asset-manifest.ts';

/** A web server for tests, on a free port of the loopback interface. */
export interface TestSite {
  /** The origin, without trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** The response for a path. */
export interface SiteFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * A part of a site.
 * @returns the file at a path (starts with a slash, no query); null or a rejection if it has none
 */
export type SitePart = (path: string) => SiteFile | null | Promise<SiteFile | null>;

export interface TestSiteOptions {
  /** The first part with an answer wins; otherwise 404. */
  readonly parts: readonly SitePart[];
  /** A service on the same origin: requests below `/v1/` are forwarded to it. */
  readonly serviceUrl?: string;
}

export async function startTestSite({ parts, serviceUrl }: TestSiteOptions): Promise<TestSite> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (serviceUrl !== undefined && pathname.startsWith('/v1/')) return passOn(request, response, serviceUrl);
    for (const part of parts) {
      const file = await Promise.resolve(part(pathname)).catch(() => null);
      if (file !== null) return void response.writeHead(200, file.headers).end(file.body);
    }
    response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
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
  onward.on('response', (given) => {
    response.writeHead(given.statusCode ?? 502, given.headers);
    given.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

/** Exactly the policy that the docs require of a page with a device, whose check-ins go to these origins. */
const pagePolicy = (checkInOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    ["connect-src 'self'", ...checkInOrigins].join(' '),
  ].join('; ');

/** The page at `/` with one script, served at `/page.js`. @param entry its source, which is bundled */
export async function devicePage(entry: URL, checkInOrigins: readonly string[] = []): Promise<SitePart> {
  const script = await bundleScript(entry);
  const files: Readonly<Record<string, SiteFile>> = {
    '/': {
      headers: { 'content-type': 'text/html', 'content-security-policy': pagePolicy(checkInOrigins) },
      body: '<!doctype html><title>device</title><video></video><script src="/page.js"></script>',
    },
    '/page.js': { headers: { 'content-type': 'text/javascript' }, body: script },
  };
  return (path) => files[path] ?? null;
}

interface BuiltAssets {
  readonly directory: string;
  readonly manifest: AssetManifest;
}

/** A folder of `buildDeviceAssets` below `/assets/`, with the headers that its manifest names. */
export const deviceAssets = (built: BuiltAssets): SitePart => filesOf(built, '/assets/');

/** The same with the page for native shells, at the root, as it is packaged in an app. */
export const packagedAssets = (built: BuiltAssets): SitePart => filesOf(built, '/');

function filesOf({ directory, manifest }: BuiltAssets, below: string): SitePart {
  const files = new Map(manifest.files.map((file) => [below + file.path, file]));
  return async (path) => {
    const file = files.get(path);
    return file === undefined ? null : { headers: file.headers, body: await readFile(join(directory, file.path)) };
  };
}

/** Bundles a source with its imports into one classic script, whose exports are `globalThis.script`. */
export async function bundleScript(entry: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    ...{ format: 'iife', globalName: 'script' },
    platform: 'browser',
    target: 'es2022',
    conditions: ['svc-source'],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('nothing was bundled');
  return file.text;
}

/** Serves the page with `globalThis.svcPage` of `page.ts`. */
export async function startAdapterSite(...parts: readonly SitePart[]): Promise<TestSite> {
  return startTestSite({ parts: [await devicePage(new URL('./page.ts', import.meta.url)), ...parts] });
}

/** Path of Chromium; null if there is none, which is reported once. */
export function findChromium(): string | null {
  const candidates = [
    process.env.SVC_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const found = candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null;
  if (found === null) process.stdout.write('skipped: no Chromium (set SVC_CHROMIUM to its path)\n');
  return found;
}
