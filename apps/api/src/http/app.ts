import express, { type Express, type RequestHandler, type Router } from 'express';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Random } from '../platform/ports.ts';
import { accessLog } from './access-log.ts';
import { inOrder } from './in-order.ts';
import { notFound, problemHandler } from './problems.ts';
import { requestId } from './request-id.ts';
import { requestMetrics } from './request-metrics.ts';
import { requestSpan } from './request-span.ts';
import { requireHost } from './require-host.ts';
import { securityHeaders } from './security-headers.ts';
import { lingerOnUnreadBody } from './unread-body.ts';

/**
 * Answers bear no validators, so that no condition can be met (RFC 9110 section 13.2.1 lets them be disregarded); Express would
 * take `If-None-Match: *` for one that is.
 */
const unconditional: RequestHandler = (request, _response, next) => {
  delete request.headers['if-none-match'];
  delete request.headers['if-modified-since'];
  next();
};

/** The Express application around the features' routes. Bodies are read by routes, never by middleware. */
export function createApp(o: {
  readonly logger: Logger;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly mount: (router: Router) => void;
  /** Proxies whose `X-Forwarded-For` is believed, as Express takes them. */
  readonly trustProxy: ApiConfig['traffic']['trustProxy'];
  /** Sees every request before anything else does. */
  readonly observe?: RequestHandler | undefined;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
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
      unconditional,
    ),
  );
  const router = express.Router({ caseSensitive: true, strict: true });
  o.mount(router);
  app.use(router);
  app.use(notFound);
  app.use(problemHandler(o.logger));
  return app;
}
