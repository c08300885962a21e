import { type Operation, unknownParameters, validateQuery } from '@svc/protocol';
import type { Request } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../platform/errors.ts';

/** Names of an operation's query parameters, in the form of `unknownParameters`. */
export function queryNamesOf({ parameters }: Operation): ReadonlySet<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return new Set(inQuery.map(({ name, style }) => (style === undefined ? name : `${name}[*]`)));
}

/** Rejects parameters that the operation does not have. @throws ServiceError 'unknown-parameter' */
export function refuseUnknownParameters(request: Request, known: ReadonlySet<string>): void {
  const errors = unknownParameters(known, request.query);
  if (errors.length > 0) throw new ServiceError('unknown-parameter', { errors });
}

/**
 * Validates the query string; {@link refuseUnknownParameters} has checked the names.
 * @throws ServiceError 'invalid-request'
 */
export function readQuery<T extends z.ZodType>(request: Request, schema: T): z.output<T> {
  const result = validateQuery(schema, { ...request.query });
  if (!result.ok) throw new ServiceError(result.code, { errors: result.errors });
  return result.value;
}
