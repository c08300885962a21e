/// <reference lib="webworker" />
/** Serves the page's own files without a network, always those of one version. Everything else goes to the network untouched. */
import type { PageMessage } from './messages.ts';
import { fetchMissing, findFile, tidy } from './precache.ts';

declare const self: ServiceWorkerGlobalScope;

const files = __PRECACHE__;
const folder = new URL('.', self.location.href);

// A new version waits until the page says that nobody is before the camera; only the very first one takes over at once.
self.addEventListener('install', (event) => event.waitUntil(fetchMissing(files, folder)));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  const message = event.data as PageMessage;
  if (message === 'take-over') event.waitUntil(self.skipWaiting());
  const { installing, waiting } = self.registration;
  // What another version has fetched must not be taken from it.
  if (message === 'started' && installing === null && waiting === null) event.waitUntil(tidy(files, folder));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const url = new URL(request.url);
  const path = url.pathname.slice(folder.pathname.length) || 'index.html';
  if (url.origin !== folder.origin || !url.pathname.startsWith(folder.pathname) || !Object.hasOwn(files, path)) return;
  event.respondWith(findFile(files, folder, url).then((found) => found ?? fetch(request)));
});
