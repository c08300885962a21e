import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createProblem, PROBLEM_MEDIA_TYPE } from '@svc/protocol';
import type { Express } from 'express';
import type { Random } from '../platform/ports.ts';
import { SECURITY_HEADERS } from './answer.ts';
import { createRequestIds } from './observe-requests.ts';

/** A listening server that can be stopped without truncating answers. */
export interface HttpServer {
  /** `http://host:port`, with the assigned port. */
  readonly url: string;
  /** Continues to answer, and closes each connection after its next answer. */
  drain(): void;
  /**
   * Stops accepting connections, lets requests in progress finish for up to `graceMs`, then closes the rest. A second
   * call waits for the first.
   */
  close(graceMs: number): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 90_000;
/** Longer than the idle timeout of common load balancers, so that the balancer closes first. */
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;
const UNUSED_GRACE_MS = 500;
/** Longer than any request takes: without traffic for this long, the client has stopped reading. */
const STALLED_MS = 600_000;

/** The problem for an error code of the HTTP parser. */
function parserProblem(code: string | undefined, requestId: string) {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return createProblem('request-timeout', { requestId });
  const detail = code === 'HPE_HEADER_OVERFLOW' ? 'The address or the headers are too long.' : 'Not an HTTP request.';
  return createProblem('invalid-request', { requestId, detail });
}

/** Answers requests that never reach Express with a problem. `answering` is the socket's current response. */
function refuseUnparsable(
  error: Error & { code?: string },
  socket: Socket,
  answering: ServerResponse | undefined,
  nextId: () => string,
): void {
  // After a started answer a second one would be read as part of it.
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
 * A request's target without scheme and host (absolute form, RFC 9112 section 3.2.2), as Express's parser throws on
 * invalid URLs.
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
  /** 0 for any free port. */
  readonly port: number;
  readonly random: Random;
  /** Limit of open connections; more are closed without an answer, which would be work too. Default: none. */
  readonly connections?: number;
  /** Called for each connection closed so. */
  readonly onRefused?: () => void;
  /** Connections without traffic for this long are closed. Default: ten minutes. */
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
    // Node's own answer has no body; the application sends a problem.
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  if (connections !== undefined) server.maxConnections = connections;
  server.on('drop', () => onRefused?.());
  let draining = false;
  let closing = false;
  const answering = new WeakMap<Socket, ServerResponse>();
  const unfinished = new Set<ServerResponse>();
  /** Connections without a request yet: Node does not count these as idle. */
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
    // After the HTTP parser, which copies what it uses, so that no text of a photo remains. Without a listener Node
    // reads into one block of memory that it never releases.
    socket.on('data', (bytes: Buffer) => bytes.fill(0));
  });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    unused.delete(request.socket);
    answering.set(request.socket, response);
    unfinished.add(response);
    if (draining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      unfinished.delete(response);
      // A kept-alive connection that becomes idle during shutdown would otherwise be waited for.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    request.url = toOriginForm(request.url ?? '/');
    app(request, response);
  };
  server.on('request', handle);
  // Express decides before reading: the reader of the body sends “100 Continue”.
  server.on('checkContinue', handle);
  // Other expectations may be ignored (RFC 9110 section 10.1.1).
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
      // The client may be about to use it.
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
