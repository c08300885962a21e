import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ServiceError, sqlState } from '../platform/errors.ts';

/** Without an SDK (tracing/start.ts) its spans are almost free and go nowhere. */
const tracer = trace.getTracer('svc');

export interface SpanOptions {
  readonly kind?: 'internal' | 'client';
  /** Names and counts from the code: no identifiers of people, addresses or values of statements. */
  readonly attributes?: Attributes;
}

/** An error's kind, never its message, which may quote data. */
function errorType(error: unknown): string {
  if (error instanceof ServiceError) return error.code;
  return sqlState(error) ?? (error instanceof Error ? error.name : typeof error);
}

/** Records a failure on a span. A violated rule (ServiceError) is a normal answer. */
function recordFailure(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error));
  if (!(error instanceof ServiceError)) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Runs work in a child span of the active one. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const kind = options.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
  return tracer.startActiveSpan(name, { kind, attributes: options.attributes ?? {} }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      recordFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Adds child spans for finished stages, one after the other. @param endMs end of the last one, in Unix milliseconds */
export function addPastSpans(stages: readonly { readonly name: string; readonly ms: number }[], endMs: number): void {
  let startMs = endMs - stages.reduce((sum, { ms }) => sum + ms, 0);
  for (const { name, ms } of stages) {
    const span = tracer.startSpan(name, { startTime: startMs });
    startMs += ms;
    span.end(startMs);
  }
}
