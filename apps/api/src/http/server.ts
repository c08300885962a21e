import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createProblem, PROBLEM_MEDIA_TYPE } from '@svc/protocol';
import type { Express } from 'express';

/** A server that listens, and that can be stopped without cutting an answer short. */
export interface HttpServer {
  /** `http://host:port` with the port that was given or found. */
  readonly url: string;
  /** Takes no new connections, lets requests in progress finish for up to `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 90_000;
/** Longer than the idle time of common load balancers, so that the balancer is the one that closes. */
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;

/** What the HTTP parser itself refuses never reaches Express; it gets a problem too. */
function refuseUnparsable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({
    ...createProblem('invalid-request', { requestId: '' }),
    detail: 'Not an HTTP request.',
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
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

/** @param port 0 for any free one */
export async function startHttpServer(app: Express, host: string, port: number): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: 5_000,
  });
  server.on('request', app);
  let closing = false;
  server.on('request', (_request, response) => {
    // A kept-alive connection that turns idle during shutdown would be waited for in vain.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()));
  });
  // Express decides first and reads later: «100 Continue» is sent by whoever wants the body.
  server.on('checkContinue', app);
  server.on('clientError', refuseUnparsable);
  const address = await listen(server, host, port);
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    close: (graceMs) =>
      new Promise((resolve) => {
        closing = true;
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
