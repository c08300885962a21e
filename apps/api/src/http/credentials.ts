import { isSecret, SESSION_COOKIE, type SecretPrefix, secretPrefixOf } from '@svc/protocol';
import type { Request } from 'express';
import { ServiceError } from '../platform/errors.ts';
import { cookieOf } from './cookies.ts';

function apiKeyHeader(request: Request): string | undefined {
  return request.get('x-api-key');
}

function bearer(request: Request): string | undefined {
  const header = request.get('authorization');
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header)?.[1] ?? '');
}

const hasHeaderCredential = (request: Request): boolean =>
  apiKeyHeader(request) !== undefined || bearer(request) !== undefined;

/** Whether a session's cookie is the request's only credential: a credential in a header takes precedence. */
export const isOfSession = (request: Request): boolean =>
  cookieOf(request, SESSION_COOKIE) !== undefined && !hasHeaderCredential(request);

/** Checks kind and checksum, not existence. */
function checkKind(credential: string, prefix: SecretPrefix): string {
  const claimed = secretPrefixOf(credential);
  if (claimed !== null && claimed !== prefix) throw new ServiceError('wrong-credential');
  if (!isSecret(prefix, credential)) throw new ServiceError('invalid-credential');
  return credential;
}

/** The API key in `X-Api-Key`. @throws ServiceError 'missing-credential', 'wrong-credential' or 'invalid-credential' */
export function apiKeyOf(request: Request): string {
  const key = apiKeyHeader(request);
  if (key !== undefined) return checkKind(key, 'svck');
  throw new ServiceError(bearer(request) === undefined ? 'missing-credential' : 'wrong-credential');
}

/**
 * The token of one kind in `Authorization: Bearer`.
 * @throws ServiceError 'missing-credential', 'wrong-credential' or 'invalid-credential'
 */
export function bearerOf(request: Request, prefix: 'svce' | 'svcd'): string {
  const token = bearer(request);
  if (token !== undefined) return checkKind(token, prefix);
  throw new ServiceError(apiKeyHeader(request) === undefined ? 'missing-credential' : 'wrong-credential');
}

/**
 * The secret in the session's cookie.
 * @throws ServiceError 'missing-credential', 'wrong-credential' or 'invalid-credential'
 */
export function sessionSecretOf(request: Request): string {
  const secret = cookieOf(request, SESSION_COOKIE);
  if (secret !== undefined) return checkKind(secret, 'svcs');
  throw new ServiceError(hasHeaderCredential(request) ? 'wrong-credential' : 'missing-credential');
}
