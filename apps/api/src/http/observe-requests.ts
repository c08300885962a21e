import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type ErrorCode, isErrorCode } from '@svc/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { Random } from '../platform/ports.ts';

const REQUEST_ID_BYTES = 15;

/** Ids are not secret: random bytes are drawn for many at once. */
const DRAWN_AT_ONCE = 128;

/** Generates request ids, `req_…`, with 120 random bits. */
export function createRequestIds(random: Random): () => string {
  let bytes = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === bytes.length) {
      bytes = Buffer.from(random.bytes(DRAWN_AT_ONCE * REQUEST_ID_BYTES));
      used = 0;
    }
    used += REQUEST_ID_BYTES;
    return `req_${bytes.toString('base64url', used - REQUEST_ID_BYTES, used)}`;
  };
}

/** Gives every request an id, in `X-Request-Id` and in its log lines. An id sent by the caller is ignored. */
export function requestId(random: Random): RequestHandler {
  const nextId = createRequestIds(random);
  return (_request, response, next) => {
    const id = nextId();
    response.locals.requestId = id;
    response.setHeader('X-Request-Id', id);
    next();
  };
}

export function requestIdOf(response: Response): string {
  const id: unknown = response.locals.requestId;
  return typeof id === 'string' ? id : '';
}

const tracer = trace.getTracer('svc');
const PROBED = new Set(['/healthz', '/readyz']);

/** The error's code; null for an answer without one. */
function codeOf(response: Response): ErrorCode | null {
  const code: unknown = response.locals.code;
  return typeof code === 'string' && isErrorCode(code) ? code : null;
}

/** Health checks are too frequent to trace or to log; a node logs when its readiness changes. */
const isProbe = ({ method, path }: Request) => PROBED.has(path) && (method === 'GET' || method === 'HEAD');

/** Ends the span when the request was answered or its caller disconnected. */
function finish(span: Span, method: string, request: Request, response: Response): void {
  const route = routeOf(request.route);
  const code = codeOf(response);
  span.setAttributes({
    'http.response.status_code': response.statusCode,
    'svc.request_id': requestIdOf(response),
    ...(route === null ? {} : { 'http.route': route }),
    ...(code === null ? {} : { 'error.type': code }),
    ...(response.writableFinished ? {} : { 'svc.aborted': true }),
  });
  if (route !== null) span.updateName(`${method} ${route}`);
  if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/**
 * A span for every request, named by method and route pattern. Continues a caller's `traceparent`, but not `tracestate`
 * and `baggage`, which can contain anything. The span has no path, query, header, body or address.
 */
export const requestSpan: RequestHandler = (request, response, next) => {
  if (isProbe(request)) return next();
  const { traceparent } = request.headers;
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
  const method = methodLabel(request.method);
  const span = tracer.startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    parent,
  );
  // Without an SDK the span is not recorded.
  if (span.isRecording()) response.on('close', () => finish(span, method, request, response));
  context.with(trace.setSpan(parent, span), next);
};

/** Trace id for log lines; undefined when not traced. */
function activeTraceId(): string | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : undefined;
}

/** The caller of a request, by our own ids, for investigating stolen keys. Never a guest's. */
export interface CallerNames {
  readonly accountId?: string;
  readonly keyId?: string;
  readonly userId?: string;
  readonly deviceId?: string;
}

/** Sets the caller for the request's log line. */
export function noteCaller(response: Response, names: CallerNames): void {
  response.locals.callerNames = names;
}

/** Call it at the start of an answer that goes on for long: its time is not measured as that of a request. */
export function noteStream(response: Response): void {
  response.locals.streamBegunAt = performance.now();
}

/** Empty when the credential was missing, wrong or not checked. */
function callerNamesOf(response: Response): Partial<CallerNames> {
  const names: unknown = response.locals.callerNames;
  return typeof names === 'object' && names !== null ? names : {};
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The pattern of the request's route (`request.route`), null for none; never the path, which may name a person. */
export function routeOf(route: unknown): string | null {
  return typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string'
    ? route.path
    : null;
}

/** A request's method as a label: one of the served ones, else `other`. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

/**
 * Logs one line per request but health checks: the caller by our own ids and the route's pattern, never path or query,
 * which contain identifiers of people.
 */
export function accessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    if (isProbe(request)) return next();
    const startedAt = performance.now();
    const traceId = activeTraceId();
    response.on('close', () => {
      const code = codeOf(response);
      logger.info(
        {
          requestId: requestIdOf(response),
          ...callerNamesOf(response),
          method: request.method,
          route: routeOf(request.route),
          status: response.statusCode,
          ...(code === null ? {} : { code }),
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

/** Counts and times every request by its route's pattern; a stream until its first byte. */
export function requestMetrics(metrics: Pick<Metrics, 'requestStarted' | 'requestFinished'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    metrics.requestStarted();
    response.on('close', () => {
      const begunAt: unknown = response.locals.streamBegunAt;
      const answeredAt = typeof begunAt === 'number' ? begunAt : performance.now();
      metrics.requestFinished({
        method: methodLabel(request.method),
        route: routeOf(request.route),
        status: response.statusCode,
        code: codeOf(response),
        seconds: (answeredAt - startedAt) / 1_000,
      });
    });
    next();
  };
}
