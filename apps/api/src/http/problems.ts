import { createProblem, type ErrorCode, errorTable, PROBLEM_MEDIA_TYPE, type Problem } from '@svc/protocol';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { KeyEncryptionUnavailableError } from '../crypto/kek.ts';
import { couldNotConnect } from '../db/connection.ts';
import { missing, ServiceError, sqlState } from '../platform/errors.ts';
import { describeError } from '../platform/logger.ts';
import { requestIdOf } from './observe-requests.ts';

const DEFAULT_RETRY_SECONDS = 2;
const CONTENT_TYPE = `${PROBLEM_MEDIA_TYPE}; charset=utf-8`;
/**
 * SQLSTATE classes and codes of a database that is unreachable or accepts no work: connection, resources, operator,
 * cancelled, rolled back in favour of others.
 */
const DATABASE_UNAVAILABLE = /^(08|40|53|57P|57014|25006)/;
/** The driver's messages for lost or timed-out connections; knex prepends the statement. */
const DATABASE_GONE =
  /(^| - )(Connection terminated|timeout expired|Query read timeout)|not queryable|timeout exceeded when trying to connect/;
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH']);

function isDatabaseUnavailable(error: unknown): boolean {
  if (couldNotConnect(error)) return true;
  const state = sqlState(error);
  if (state !== undefined) return DATABASE_UNAVAILABLE.test(state);
  if (!(error instanceof Error)) return false;
  if (error.name === 'KnexTimeoutError' || DATABASE_GONE.test(error.message)) return true;
  return 'syscall' in error && 'code' in error && typeof error.code === 'string' && NETWORK_CODES.has(error.code);
}

/** Express and its router throw errors with a status, for example for a path that does not percent-decode. */
function isClientError(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500;
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isClientError(error)) return missing('address');
  if (error instanceof KeyEncryptionUnavailableError)
    return new ServiceError('not-ready', { detail: 'The key-encryption keys are not available now.' });
  return new ServiceError(isDatabaseUnavailable(error) ? 'not-ready' : 'internal-error');
}

function challenge(code: ErrorCode, path: string): string | undefined {
  if (errorTable[code].status !== 401) return undefined;
  // No scheme of a browser's own dialog: the dashboard asks for the sign-in itself.
  if (/^\/v1\/(session|sign-in)(\/|$)/.test(path)) return 'Session realm="svc"';
  return /^\/v1\/(device|widget)\//.test(path) ? 'Bearer realm="svc"' : 'ApiKey realm="svc", header="X-Api-Key"';
}

/** The problem that an error is answered with. */
export function problemOf({ code, details }: ServiceError, requestId: string): Problem {
  const { detail, errors, reason, measured, limit, attemptsLeft, resourceId, token } = details;
  return createProblem(code, { requestId, detail, errors, reason, measured, limit, attemptsLeft, resourceId, token });
}

function send(response: Response, path: string, error: ServiceError): void {
  const { status, retryable } = errorTable[error.code];
  const authenticate = challenge(error.code, path);
  if (authenticate !== undefined) response.setHeader('WWW-Authenticate', authenticate);
  if (retryable && status !== 500) {
    response.setHeader('Retry-After', String(error.details.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS));
  }
  // Do not wait for the rest of the body.
  if (status === 408) response.setHeader('Connection', 'close');
  const body = JSON.stringify(problemOf(error, requestIdOf(response)));
  response.statusCode = status;
  response.setHeader('Content-Type', CONTENT_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  // Not through Express, which checks media types and validators again: rejections are most frequent under overload.
  response.end(body);
}

/** Handles every path without a route. */
export const notFound: RequestHandler = () => {
  throw missing('address');
};

/**
 * The only place that turns errors into answers (problems of RFC 9457). Unknown errors are logged and answered with 500
 * or 503.
 */
export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const serviceError = toServiceError(error);
    response.locals.code = serviceError.code;
    if (serviceError !== error && !isClientError(error)) {
      logger.error({ requestId: requestIdOf(response), error: describeError(error) }, 'request failed');
    }
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    send(response, request.path, serviceError);
  };
}
