import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from './request-id.ts';

/** The pattern of the path that a request was routed by. */
export function routeOf(route: unknown): string | null {
  return typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string'
    ? route.path
    : null;
}

/** One line a request: the route's pattern, never the path or the query, which hold identifiers of people. */
export function accessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.on('close', () => {
      const code: unknown = response.locals.code;
      logger.info(
        {
          requestId: requestIdOf(response),
          method: request.method,
          route: routeOf(request.route),
          status: response.statusCode,
          ...(typeof code === 'string' ? { code } : {}),
          ...(response.writableFinished ? {} : { aborted: true }),
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'request',
      );
    });
    next();
  };
}
