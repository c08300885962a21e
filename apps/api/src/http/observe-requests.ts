import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { isErrorCode } from '@svc/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import { requestIdOf } from './request-id.ts';

const tracer = trace.getTracer('svc');
/** Balancers ask these all the time. */
const UNTRACED = new Set(['/healthz', '/readyz']);

/** What is known of a request once it was answered, or its caller has gone. */
function finish(span: Span, method: string, request: Request, response: Response): void {
  const route = routeOf(request.route);
  const code: unknown = response.locals.code;
  span.setAttributes({
    'http.response.status_code': response.statusCode,
    'svc.request_id': requestIdOf(response),
    ...(route === null ? {} : { 'http.route': route }),
    ...(typeof code === 'string' ? { 'error.type': code } : {}),
    ...(response.writableFinished ? {} : { 'svc.aborted': true }),
  });
  if (route !== null) span.updateName(`${method} ${route}`);
  if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/**
 * A span around every request, named by method and route pattern. A caller's `traceparent` is taken up; its
 * `tracestate` and `baggage` are not, because they may say anything. No path, query, header, body or address is on the
 * span.
 */
export const requestSpan: RequestHandler = (request, response, next) => {
  if (UNTRACED.has(request.path)) return next();
  const { traceparent } = request.headers;
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
  const method = methodLabel(request.method);
  const span = tracer.startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    parent,
  );
  // Without an SDK nobody would see what it says.
  if (span.isRecording()) response.on('close', () => finish(span, method, request, response));
  context.with(trace.setSpan(parent, span), next);
};

/** Of the active span, for log lines; undefined where nothing is traced. */
function activeTraceId(): string | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : undefined;
}

/** Who is behind a request, by identifiers of ours: what an investigation of a stolen key needs. Never a guest's. */
export interface CallerNames {
  readonly accountId: string;
  readonly keyId?: string;
  readonly deviceId?: string;
}

/** Notes whose request this is, for its line in the log. */
export function noteCaller(response: Response, names: CallerNames): void {
  response.locals.callerNames = names;
}

/** Nobody's where the credential was missing, wrong or not looked at. */
function callerNamesOf(response: Response): Partial<CallerNames> {
  const names: unknown = response.locals.callerNames;
  return typeof names === 'object' && names !== null ? names : {};
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The pattern of the route that took a request (`request.route`), null where none did: never the path, which may name a
 * person.
 */
export function routeOf(route: unknown): string | null {
  return typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string'
    ? route.path
    : null;
}

/** A request's method as a label: one of the few that are ever served, else `other`. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

/**
 * One line a request: who asked, by identifiers of ours, and the route's pattern, never the path or the query, which
 * hold identifiers of people.
 */
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
