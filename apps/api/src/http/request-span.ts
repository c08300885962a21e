import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { requestIdOf } from './request-id.ts';
import { methodLabel, routeOf } from './route-label.ts';

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
 * A span around every request, named by method and route pattern. A caller's `traceparent` is taken up; its `tracestate` and
 * `baggage` are not, because they may say anything. No path, query, header, body or address is on the span.
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
export function activeTraceId(): string | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : undefined;
}
