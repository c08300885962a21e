import { type Canary, foundIn } from '../enrolment/canaries.ts';
import { bytesOf, headerNames, headerOf, type RecordedRequest } from './recorder.ts';

export interface Allowed {
  /** A static file of the page's own origin, by path and query. */
  readonly isStatic: (target: string) => boolean;
  readonly deviceTokens: readonly string[];
}

/** What Chromium says of itself and of where a request comes from, with every request that it makes; of a service worker, its caches and its proxy too. */
const HEADERS_OF_BROWSER =
  /^(host|(proxy-)?connection|user-agent|accept(-encoding|-language)?|sec-[a-z-]+|referer|origin|cache-control|pragma|priority|purpose|upgrade-insecure-requests|service-worker(-navigation-preload)?|if-(none-match|modified-since)|range)$/;
const HEADERS_OF_SYNC = ['authorization', 'svc-device-key', 'svc-nonce', 'svc-sync-counter'];

const SYNC = /^\/v1\/device\/sync\?since=\d+$/;

/**
 * What Chromium asks of its maker by itself, on whatever page: updates, sign-in, which fields can be filled in. The recorder refuses it all; a
 * deployment's policies turn it off.
 */
const OF_BROWSER = /^(connect |http:\/\/)(update\.googleapis|accounts\.google|content-autofill\.googleapis)\.com[:/]/;

export const isOfBrowser = ({ target }: RecordedRequest): boolean => OF_BROWSER.test(target);

export const isSync = ({ method, target }: RecordedRequest): boolean => method === 'GET' && SYNC.test(target);

/** What left a device's browser and is neither a sync nor the fetching of one of its own files, or holds what no request may hold; in words. */
export function strayRequests(
  requests: readonly RecordedRequest[],
  allowed: Allowed,
  canaries: readonly Canary[],
): string[] {
  return requests.flatMap((request) => {
    const { method, target } = request;
    const complaints = foundIn(bytesOf(request), canaries).map((name) => `holds ${name}`);
    if (!isOfBrowser(request)) complaints.push(...complaintsOf(request, allowed));
    return complaints.map((complaint) => `${method} ${target}: ${complaint}`);
  });
}

function complaintsOf(request: RecordedRequest, { isStatic, deviceTokens }: Allowed): string[] {
  const complaints: string[] = [];
  const known = (name: string) => HEADERS_OF_BROWSER.test(name) || (isSync(request) && HEADERS_OF_SYNC.includes(name));
  for (const name of headerNames(request)) if (!known(name)) complaints.push(`a header ${name}`);
  if (request.body.length > 0) complaints.push('a body');
  if (isSync(request)) {
    const [authorization = null] = headerOf(request, 'authorization');
    if (!deviceTokens.some((token) => authorization === `Bearer ${token}`)) complaints.push('another token');
    for (const [name, bytes] of [
      ['svc-device-key', 65],
      ['svc-nonce', 16],
    ] as const) {
      const [value = ''] = headerOf(request, name);
      if (Buffer.from(value, 'base64url').length !== bytes) complaints.push(`a ${name} of another length`);
    }
    const [counter = '0'] = headerOf(request, 'svc-sync-counter');
    if (!/^[0-9]{1,6}$/.test(counter)) complaints.push('a svc-sync-counter that is no count');
  } else if (request.method !== 'GET' || !isStatic(request.target)) complaints.push('neither a sync nor a file');
  return complaints;
}
