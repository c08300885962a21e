import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback } from '@svc/api/testing';
import { engineRecipes, versionsOf } from '@svc/face-models';
import { type Canary, foundIn } from '../enrolment/canaries.ts';

interface Allowed {
  /** A static file of the page's own origin, by path and query. Default: none. */
  readonly isStatic?: (target: string) => boolean;
  /** A check of the connection, by path and query: a HEAD request. Default: none. */
  readonly isCheck?: (target: string) => boolean;
  readonly deviceTokens: readonly string[];
}

/**
 * Headers about itself and the request's origin that Chromium adds to every request, including those of service
 * workers, caches and proxies.
 */
const HEADERS_OF_BROWSER =
  /^(host|(proxy-)?connection|user-agent|accept(-encoding|-language)?|sec-[a-z-]+|referer|origin|cache-control|pragma|priority|purpose|upgrade-insecure-requests|service-worker(-navigation-preload)?|if-(none-match|modified-since)|range)$/;
const HEADERS_OF_SYNC = [
  ...['authorization', 'svc-device-key', 'svc-nonce', 'svc-sync-counter'],
  // The device's software, the same on each device of a version.
  ...['svc-sdk-version', 'svc-engines', 'svc-attendances', 'svc-payloads'],
];

const SYNC = /^\/v1\/device\/sync\?since=\d+$/;

/**
 * Requests of Chromium to its vendor: updates, sign-in, form filling, messages. The recorder refuses them; a deployment's
 * policies turn them off.
 */
const OF_BROWSER =
  /^(connect |http:\/\/)(update\.googleapis|accounts\.google|content-autofill\.googleapis|android\.clients\.google)\.com[:/]/;

export const isOfBrowser = ({ target }: RecordedRequest): boolean => OF_BROWSER.test(target);

export const isSync = ({ method, target }: RecordedRequest): boolean => method === 'GET' && SYNC.test(target);

const shapes: Readonly<Record<string, RegExp>> = {
  'svc-device-key': /^[\w-]{87}$/,
  'svc-nonce': /^[\w-]{22}$/,
  'svc-sdk-version': /^\d+\.\d+\.\d+$/,
  'svc-attendances': /^staffed(, unattended)?$/,
  'svc-payloads': /^(by-link|gone|unavailable|mismatch)$/,
  accept: /^application\/vnd\.svc\.sync$/,
};

/**
 * Describes all traffic of a device that is neither a sync nor a request for one of its page's own files, or that
 * contains forbidden data; a planted template has to be found.
 */
export function strayRequests(
  requests: readonly RecordedRequest[],
  { isStatic = () => false, isCheck = () => false, deviceTokens }: Allowed,
  canaries: readonly Canary[],
): string[] {
  const holds = (request: RecordedRequest) => foundIn(bytesOf(request), canaries).map((name) => `holds ${name}`);
  const [first] = requests.filter(isSync);
  if (first === undefined) throw new Error('no sync was recorded');
  for (const { name, needles } of canaries) {
    for (const body of needles)
      if (!holds({ ...first, body }).includes(`holds ${name}`)) throw new Error(`${name} would not be found`);
  }
  const known = (request: RecordedRequest, name: string) =>
    HEADERS_OF_BROWSER.test(name) || (isSync(request) && HEADERS_OF_SYNC.includes(name));
  return requests.flatMap((request) => {
    const { method, target } = request;
    const complaints = holds(request);
    const one = (name: string) => headerOf(request, name).join();
    if (!isOfBrowser(request)) {
      for (const name of headerNames(request)) if (!known(request, name)) complaints.push(`a header ${name}`);
      if (request.body.length > 0) complaints.push('a body');
      if (isSync(request)) {
        if (!deviceTokens.some((token) => one('authorization') === `Bearer ${token}`)) complaints.push('another token');
        for (const [name, shape] of Object.entries(shapes)) if (!shape.test(one(name))) complaints.push(`a ${name}`);
        const engines = one('svc-engines').split(', ');
        const versions = engineRecipes.flatMap(versionsOf);
        if (!engines.every((engine) => versions.some(({ engineId }) => engineId === engine)))
          complaints.push('a svc-engines that names no engine');
      } else if (!(method === 'HEAD' ? isCheck(target) : method === 'GET' && isStatic(target)))
        complaints.push('neither a sync nor a file');
    }
    return complaints.map((complaint) => `${method} ${target}: ${complaint}`);
  });
}

/** A recorded request. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query; the whole address if it did not go to the service. */
  readonly target: string;
  /** Names and values in turn, as sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/**
 * Records all traffic between a device and its service, as the service's address or as a browser's proxy.
 * @param serviceUrl the service
 * @param otherUrls other sites that answer; requests to all others are recorded and refused
 */
export async function startRecorder(serviceUrl: string, ...otherUrls: readonly string[]) {
  const requests: RecordedRequest[] = [];
  const { origin } = new URL(serviceUrl);
  const origins = [origin, ...otherUrls.map((url) => new URL(url).origin)];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', rawHeaders, headers } = request;
    const body = await buffer(request);
    const target = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
    requests.push({ method, target, rawHeaders, body });
    const address = new URL(target, origin);
    if (!origins.includes(address.origin)) return void response.writeHead(502).end();
    const onward = forward(address, { method, headers: { ...headers, host: address.host } });
    onward.on('response', (given) => {
      response.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  }

  // Never ends an idle connection that a device is about to use.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  for (const event of ['connect', 'upgrade'] as const) {
    server.on(event, ({ method = '', url = '', rawHeaders }: IncomingMessage, socket) => {
      requests.push({ method, target: `${event} ${url}`, rawHeaders, body: Buffer.alloc(0) });
      socket.destroy();
    });
  }
  const { url, close } = await listenOnLoopback(server);
  return {
    ...{ url, close },
    requests: requests as readonly RecordedRequest[],
    /**
     * Chromium's arguments that send all of its requests here: those of pages, workers, service workers and the browser
     * itself. By default it uses no proxy for its own machine.
     */
    browserArguments: [`--proxy-server=${url}`, '--proxy-bypass-list=<-loopback>'],
  };
}

export type Recorder = Awaited<ReturnType<typeof startRecorder>>;

/** A request as bytes, to be searched. */
export function bytesOf({ method, target, rawHeaders, body }: RecordedRequest): Buffer {
  return Buffer.concat([Buffer.from([method, target, ...rawHeaders].join('\n')), body]);
}

/** A header's values. */
export function headerOf({ rawHeaders }: RecordedRequest, name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name.toLowerCase());
}

/** The names of all headers, in lower case and order. */
export function headerNames({ rawHeaders }: RecordedRequest): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
}
