/// <reference lib="webworker" />
/** Serves the page's own files offline, always those of one version. All other requests go to the network. */
import { coreKind } from '@svc/core';
import type { PageMessage } from './keep-current.ts';

/**
 * The page's files, stored under the SHA-256 of their bytes. Versions share unchanged files, and the files of a running
 * version stay until the next one has taken over.
 */

/** Path below the page's folder → SHA-256 of the file, base64. */
type FileHashes = Readonly<Record<string, string>>;

const CACHE = 'svc-kiosk-files';

/** A fictitious address below the page's folder; base64's slashes would be read as folders. */
const addressOf = (sha256: string, folder: URL): string => new URL(`cached/${encodeURIComponent(sha256)}`, folder).href;

/**
 * Fetches missing files; the browser verifies each hash (Subresource Integrity).
 * @throws if a file is missing or differs: the version is then not used
 */
async function fetchMissing(files: FileHashes, folder: URL): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const [path, sha256] of Object.entries(files)) {
    const address = addressOf(sha256, folder);
    if ((await cache.match(address)) !== undefined) continue;
    const request = new Request(new URL(path, folder), { integrity: `sha256-${sha256}`, cache: 'no-cache' });
    const response = await fetch(request);
    if (!response.ok) throw new Error('a file of the page is missing');
    await cache.put(address, response);
  }
}

/**
 * Stores the page again with its present headers: the deployment's settings change its policy without changing its bytes,
 * and so without another version. It applies from the next load on.
 */
async function refreshPage(files: FileHashes, folder: URL): Promise<void> {
  const sha256 = files['index.html'];
  if (sha256 === undefined) return;
  const response = await fetch(new URL('index.html', folder), { integrity: `sha256-${sha256}`, cache: 'no-cache' });
  if (response.ok) await (await caches.open(CACHE)).put(addressOf(sha256, folder), response);
}

const findFile = async (sha256: string): Promise<Response | undefined> =>
  (await caches.open(CACHE)).match(addressOf(sha256, folder));

/** Deletes the files of other versions. */
async function tidy(): Promise<void> {
  const cache = await caches.open(CACHE);
  const hashes = [...Object.values(files), ...Object.values(later)];
  const wanted = new Set([...hashes.map((sha256) => addressOf(sha256, folder)), ...Object.keys(later).map(markOf)]);
  for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
}

declare const self: ServiceWorkerGlobalScope;

const { all, later, ...cores } = __PRECACHE__;
// Of the core's two builds only the one that this browser loads.
const files: FileHashes = { ...all, ...cores[coreKind()] };
const folder = new URL('.', self.location.href);

/** The name of an engine's network, the same in every version. It is fetched once a list needs it. */
const networkOf = (path: string): string => path.replace(/^.*\/|-[0-9a-f]+\.\w+$/g, '');
/** An empty entry: this browser has needed the network, so another version fetches its own before it takes over. */
const markOf = (path: string): string => new URL(`cached/needed/${networkOf(path)}`, folder).href;

/** The networks of engines that were needed here. */
async function needed(): Promise<FileHashes> {
  const cache = await caches.open(CACHE);
  const found = await Promise.all(
    Object.entries(later).map(async (entry) => ((await cache.match(markOf(entry[0]))) === undefined ? [] : [entry])),
  );
  return Object.fromEntries(found.flat());
}

/** An engine's network, kept from now on. */
async function keep(path: string, sha256: string): Promise<Response> {
  await fetchMissing({ [path]: sha256 }, folder);
  await (await caches.open(CACHE)).put(markOf(path), new Response());
  return (await findFile(sha256)) ?? Response.error();
}

const fetchAll = async (): Promise<void> => fetchMissing({ ...files, ...(await needed()) }, folder);

// A new version waits until the page reports that it is idle; only the very first one takes over immediately.
self.addEventListener('install', (event) => event.waitUntil(fetchAll()));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  const message = event.data as PageMessage;
  if (message === 'take-over') event.waitUntil(self.skipWaiting());
  // Offline, or if the service has another version by now, the stored one stays.
  if (message === 'started') event.waitUntil(refreshPage(files, folder).catch(() => undefined));
  const { installing, waiting } = self.registration;
  // Keep the files that another version has already fetched.
  if (message === 'started' && installing === null && waiting === null) event.waitUntil(tidy());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || !url.href.startsWith(folder.href)) return;
  const path = url.pathname.slice(folder.pathname.length) || 'index.html';
  const network = Object.hasOwn(later, path) ? later[path] : undefined;
  if (network !== undefined) return event.respondWith(keep(path, network).catch(() => fetch(request)));
  const sha256 = Object.hasOwn(files, path) ? files[path] : undefined;
  if (sha256 !== undefined) event.respondWith(findFile(sha256).then((found) => found ?? fetch(request)));
});
