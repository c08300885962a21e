import { isErrorCode } from '@svc/protocol';
import type { RequestHandler } from 'express';
import type { Metrics } from '../metrics/metrics.ts';
import { methodLabel, routeOf } from './route-label.ts';

/** Counts and times every request by its route's pattern. */
export function requestMetrics(metrics: Pick<Metrics, 'requestStarted' | 'requestFinished'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    metrics.requestStarted();
    response.on('close', () => {
      const code: unknown = response.locals.code;
      metrics.requestFinished({
        method: methodLabel(request.method),
        route: routeOf(request.route),
        status: response.statusCode,
        code: typeof code === 'string' && isErrorCode(code) ? code : null,
        seconds: (performance.now() - startedAt) / 1_000,
      });
    });
    next();
  };
}
