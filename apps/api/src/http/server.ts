import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createProblem, PROBLEM_MEDIA_TYPE } from '@svc/protocol';
import type { Express } from 'express';
import type { Random } from '../platform/ports.ts';
import { SECURITY_HEADERS } from './answer.ts';
import { createRequestIds } from './request-id.ts';

/** A server that listens, and that can be stopped without cutting an answer short. */
export interface HttpServer {
  /** `http://host:port` with the port that was given or found. */
  readonly url: string;
  /** Goes on answering, and tells every connection that this answer is its last. */
  drain(): void;
  /**
   * Takes no new connections, lets requests in progress finish for up to `graceMs`, then cuts what is left. A second
   * call waits for the first.
   */
  close(graceMs: number): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 90_000;
/** Longer than the idle time of common load balancers, so that the balancer is the one that closes. */
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;
const UNUSED_GRACE_MS = 500;
/**
 * Longer than any answer is worked on: a connection on which nothing moves for so long is somebody who has stopped
 * reading.
 */
const STALLED_MS = 600_000;

/** What is wrong with a request that the HTTP parser itself refuses, by its error code. */
function parserProblem(code: string | undefined, requestId: string) {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return createProblem('request-timeout', { requestId });
  const detail = code === 'HPE_HEADER_OVERFLOW' ? 'The address or the headers are too long.' : 'Not an HTTP request.';
  return createProblem('invalid-request', { requestId, detail });
}

/** What never reaches Express gets a problem too. `answering` is what this socket is being sent at the moment. */
function refuseUnparsable(
  error: Error & { code?: string },
  socket: Socket,
  answering: ServerResponse | undefined,
  nextId: () => string,
): void {
  // Behind a begun answer a second one would be read as a part of it.
  const isBegun = answering?.headersSent === true && !answering.writableFinished;
  if (!socket.writable || error.code === 'ECONNRESET' || isBegun) {
    socket.destroy();
    return;
  }
  const requestId = nextId();
  const problem = parserProblem(error.code, requestId);
  const body = JSON.stringify(problem);
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    Connection: 'close',
    'X-Request-Id': requestId,
    'Content-Type': PROBLEM_MEDIA_TYPE,
    'Content-Length': Buffer.byteLength(body),
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`);
}

/**
 * A request's target without scheme and host (absolute form, RFC 9112 section 3.2.2), which Express takes apart with a
 * parser that throws on what is no address.
 */
function toOriginForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const behindHost = /^[^/?#]*\/\/[^/?#]*(.*)$/.exec(target)?.[1] ?? '';
  return behindHost.startsWith('/') ? behindHost : `/${behindHost}`;
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
      else resolve(address);
    });
  });
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly random: Random;
  /**
   * Open at one time; what comes beyond is closed unanswered, since an answer would be work too. Left out: any number.
   */
  readonly connections?: number;
  /** Told of each that was closed so. */
  readonly onRefused?: () => void;
  /** After so long without a byte either way a connection is cut. Left out: ten minutes. */
  readonly stalledMs?: number;
}

export async function startHttpServer(
  app: Express,
  { host, port, random, connections, onRefused, stalledMs = STALLED_MS }: HttpServerOptions,
): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: 5_000,
    // Node's own refusal has no body; the application's is a problem.
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  if (connections !== undefined) server.maxConnections = connections;
  server.on('drop', () => onRefused?.());
  let draining = false;
  let closing = false;
  const answering = new WeakMap<Socket, ServerResponse>();
  const unfinished = new Set<ServerResponse>();
  /** Opened in advance and not used yet: Node does not count these among the idle ones. */
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
    // Behind the HTTP parser, which copies what it takes: a photo's text stays nowhere. Without a listener Node reads
    // into one block of memory that it keeps for good.
    socket.on('data', (bytes: Buffer) => bytes.fill(0));
  });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    unused.delete(request.socket);
    answering.set(request.socket, response);
    unfinished.add(response);
    if (draining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      unfinished.delete(response);
      // A kept-alive connection that turns idle during shutdown would be waited for in vain.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    request.url = toOriginForm(request.url ?? '/');
    app(request, response);
  };
  server.on('request', handle);
  // Express decides first and reads later: «100 Continue» is sent by whoever wants the body.
  server.on('checkContinue', handle);
  // Any other expectation may be disregarded (RFC 9110 section 10.1.1).
  server.on('checkExpectation', handle);
  const nextId = createRequestIds(random);
  server.on('clientError', (error, socket: Socket) => refuseUnparsable(error, socket, answering.get(socket), nextId));
  const address = await listen(server, host, port);
  function drain(): void {
    draining = true;
    for (const response of unfinished) if (!response.headersSent) response.setHeader('Connection', 'close');
  }
  function close(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      drain();
      closing = true;
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      server.closeIdleConnections();
      // Whoever opened one may just be about to use it.
      setTimeout(() => {
        for (const socket of unused) socket.destroy();
      }, UNUSED_GRACE_MS);
    });
  }
  let closed: Promise<void> | null = null;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    drain,
    close(graceMs) {
      closed ??= close(graceMs);
      return closed;
    },
  };
}
