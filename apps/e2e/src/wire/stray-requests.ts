import { type Canary, foundIn } from '../enrolment/canaries.ts';
import { bytesOf, headerOf, type RecordedRequest } from './recorder.ts';

export interface Allowed {
  /** A static file of the page's own origin, by path and query. */
  readonly isStatic: (target: string) => boolean;
  readonly deviceTokens: readonly string[];
}

const SYNC = /^\/v1\/device\/sync\?since=\d+$/;

/**
 * What Chromium asks of its maker by itself, on whatever page: updates, sign-in, which fields can be filled in. The recorder refuses it all; a
 * deployment's policies turn it off.
 */
const OF_BROWSER = /^(connect |http:\/\/)(update\.googleapis|accounts\.google|content-autofill\.googleapis)\.com[:/]/;

export const isSync = ({ method, target }: RecordedRequest): boolean => method === 'GET' && SYNC.test(target);

/** What left a device's browser and is neither a sync nor the fetching of one of its own files, or holds what no request may hold; in words. */
export function strayRequests(
  requests: readonly RecordedRequest[],
  { isStatic, deviceTokens }: Allowed,
  canaries: readonly Canary[],
): string[] {
  return requests.flatMap((request) => {
    const { method, target, body } = request;
    const complaints: string[] = [];
    const [authorization = null] = headerOf(request, 'authorization');
    if (isSync(request)) {
      if (!deviceTokens.some((token) => authorization === `Bearer ${token}`)) complaints.push('another token');
      for (const [name, bytes] of [
        ['svc-device-key', 65],
        ['svc-nonce', 16],
      ] as const) {
        const [value = ''] = headerOf(request, name);
        if (Buffer.from(value, 'base64url').length !== bytes) complaints.push(`a ${name} of another length`);
      }
    } else if (!OF_BROWSER.test(target)) {
      if (method !== 'GET' || !isStatic(target)) complaints.push('neither a sync nor a file');
      if (authorization !== null) complaints.push('a token where none belongs');
    }
    if (body.length > 0 && !OF_BROWSER.test(target)) complaints.push('a body');
    if (headerOf(request, 'cookie').length > 0) complaints.push('a cookie');
    complaints.push(...foundIn(bytesOf(request), canaries).map((name) => `holds ${name}`));
    return complaints.map((complaint) => `${method} ${target}: ${complaint}`);
  });
}
