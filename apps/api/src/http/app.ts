import express, { type Express, type RequestHandler, type Router } from 'express';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Random } from '../platform/ports.ts';
import { securityHeaders } from './answer.ts';
import { accessLog, requestId, requestMetrics, requestSpan } from './observe-requests.ts';
import { notFound, problemHandler } from './problems.ts';

/** How long a caller may continue to send a body after its answer. */
const LINGER_MS = 5_000;

/**
 * An answer before the body was read (413, 401, 404, 503) must reach a caller that is still sending: the rest is
 * discarded for a while, then the connection is closed. A caller that waits for “100 Continue” does not send it at all.
 */
const lingerOnUnreadBody: RequestHandler = (request, response, next) => {
  response.on('finish', () => {
    if (request.complete) return;
    // Wiped, as it may be a photo.
    request.on('data', (chunk: Buffer) => chunk.fill(0));
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, LINGER_MS);
    timer.unref();
    request.once('end', () => clearTimeout(timer));
  });
  next();
};

/**
 * Combines handlers into one router layer, since the router matches the path for every layer. An error (thrown,
 * rejected or passed to `next`) goes to the error handler and skips the rest.
 */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    function pass(index: number): void {
      const handler = handlers[index];
      if (handler === undefined) {
        done();
        return;
      }
      const next = (error?: unknown) => (error === undefined ? pass(index + 1) : done(error));
      const answer: unknown = handler(request, response, next);
      if (answer instanceof Promise) answer.catch(done);
    }
    pass(0);
  };
}

/** Number of headers with this name; for some of them Node keeps only the first. */
function count(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((header, i) => i % 2 === 0 && header.toLowerCase() === name).length;
}

/** RFC 9112 section 3.2: HTTP/1.1 without `Host`, or any request with more than one, is answered with 400. */
const requireHost: RequestHandler = (request, _response, next) => {
  const hosts = count(request.rawHeaders, 'host');
  if (hosts > 1) throw new ServiceError('invalid-request', { detail: 'There is more than one Host header.' });
  if (request.httpVersion === '1.1' && hosts === 0) {
    throw new ServiceError('invalid-request', { detail: 'The Host header is missing.' });
  }
  next();
};

/** The Express application with the features' routes. Routes read bodies; middleware never does. */
export function createApp(o: {
  readonly logger: Logger;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly mount: (router: Router) => void;
  /** Proxies whose `X-Forwarded-For` is trusted, in Express's format. */
  readonly trustProxy: ApiConfig['traffic']['trustProxy'];
  /** Called first for every request. */
  readonly observe?: RequestHandler | undefined;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Answers have no validators, so conditional headers are ignored (permitted by RFC 9110 section 13.2.1); Express
  // would treat `If-None-Match: *` as fulfilled. Files of pages have one, which is compared where they are sent.
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.set('query parser', 'simple');
  app.set('trust proxy', o.trustProxy);
  if (o.observe) app.use(o.observe);
  app.use(
    inOrder(
      requestMetrics(o.metrics),
      requestId(o.random),
      requestSpan,
      accessLog(o.logger),
      securityHeaders,
      lingerOnUnreadBody,
      requireHost,
    ),
  );
  const router = express.Router({ caseSensitive: true, strict: true });
  o.mount(router);
  app.use(router);
  app.use(notFound);
  app.use(problemHandler(o.logger));
  return app;
}
