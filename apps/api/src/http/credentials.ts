import { isSecret, type SecretPrefix, secretPrefixOf } from '@svc/protocol';
import type { Request } from 'express';
import { ServiceError } from '../platform/errors.ts';

function apiKeyHeader(request: Request): string | undefined {
  return request.get('x-api-key');
}

function bearer(request: Request): string | undefined {
  const header = request.get('authorization');
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header)?.[1] ?? '');
}

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
export function bearerOf(request: Request, prefix: Exclude<SecretPrefix, 'svck'>): string {
  const token = bearer(request);
  if (token !== undefined) return checkKind(token, prefix);
  throw new ServiceError(apiKeyHeader(request) === undefined ? 'missing-credential' : 'wrong-credential');
}
