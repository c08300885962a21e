import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { callerNamesOf } from './caller-names.ts';
import { requestIdOf } from './request-id.ts';
import { activeTraceId } from './request-span.ts';
import { routeOf } from './route-label.ts';

/** One line a request: who asked, by identifiers of ours, and the route's pattern, never the path or the query, which hold identifiers of people. */
export function accessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const traceId = activeTraceId();
    response.on('close', () => {
      const code: unknown = response.locals.code;
      logger.info(
        {
          requestId: requestIdOf(response),
          ...callerNamesOf(response),
          method: request.method,
          route: routeOf(request.route),
          status: response.statusCode,
          ...(typeof code === 'string' ? { code } : {}),
          ...(traceId === undefined ? {} : { traceId }),
          ...(response.writableFinished ? {} : { aborted: true }),
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'request',
      );
    });
    next();
  };
}
