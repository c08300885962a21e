import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ServiceError, sqlState } from '../platform/errors.ts';

/** Without an SDK (tracing/start.ts) its spans cost next to nothing and go nowhere. */
const tracer = trace.getTracer('svc');

export interface SpanOptions {
  readonly kind?: 'internal' | 'client';
  /** Names and counts that the code chooses: no identifier of a person, no address, no statement's value. */
  readonly attributes?: Attributes;
}

/** Kind of an error, never its message: messages of drivers and libraries quote what they were about. */
function errorType(error: unknown): string {
  if (error instanceof ServiceError) return error.code;
  return sqlState(error) ?? (error instanceof Error ? error.name : typeof error);
}

/** Notes on a span how the work under it failed. A rule that said no is an answer, not a fault. */
function recordFailure(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error));
  if (!(error instanceof ServiceError)) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Runs work under a span of its own, beneath the one that is active. */
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

/**
 * Adds spans of work that is over, one after the other, beneath the one that is active.
 * @param endMs when the last of them ended, in Unix milliseconds
 */
export function addPastSpans(stages: readonly { readonly name: string; readonly ms: number }[], endMs: number): void {
  let startMs = endMs - stages.reduce((sum, { ms }) => sum + ms, 0);
  for (const { name, ms } of stages) {
    const span = tracer.startSpan(name, { startTime: startMs });
    startMs += ms;
    span.end(startMs);
  }
}
