import express, { type Express, type Router } from 'express';
import type { Logger } from 'pino';
import type { Random } from '../ports.ts';
import { accessLog } from './access-log.ts';
import { notFound, problemHandler } from './problems.ts';
import { requestId } from './request-id.ts';
import { requireHost } from './require-host.ts';
import { securityHeaders } from './security-headers.ts';
import { lingerOnUnreadBody } from './unread-body.ts';

/** The Express application around the features' routes. Bodies are read by routes, never by middleware. */
export function createApp(o: {
  readonly logger: Logger;
  readonly random: Random;
  readonly mount: (router: Router) => void;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId(o.random), accessLog(o.logger), securityHeaders, lingerOnUnreadBody, requireHost);
  const router = express.Router({ caseSensitive: true, strict: true });
  o.mount(router);
  app.use(router);
  app.use(notFound);
  app.use(problemHandler(o.logger));
  return app;
}
