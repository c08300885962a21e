import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One request as it left. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query; of what did not go to the service, the whole address. */
  readonly target: string;
  /** Name and value in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Stands between a device and its service, as the service's address or as the proxy of a browser, and notes all that leaves. */
export interface Recorder {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Chromium's arguments that lead all of its requests here, whoever in it makes them: pages, workers, service workers, the browser itself. */
  readonly browserArguments: readonly string[];
  close(): Promise<void>;
}

/**
 * @param serviceUrl what answers
 * @param otherUrls of other sites that answer too; whatever is asked of anybody else is noted and refused
 */
export async function startRecorder(serviceUrl: string, ...otherUrls: readonly string[]): Promise<Recorder> {
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

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  for (const event of ['connect', 'upgrade'] as const) {
    server.on(event, ({ method = '', url = '', rawHeaders }: IncomingMessage, socket) => {
      requests.push({ method, target: `${event} ${url}`, rawHeaders, body: Buffer.alloc(0) });
      socket.destroy();
    });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    // By itself Chromium takes no proxy to the machine it runs on.
    browserArguments: [`--proxy-server=${url}`, '--proxy-bypass-list=<-loopback>'],
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

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
