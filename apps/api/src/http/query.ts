import { type Operation, unknownParameters, validateQuery } from '@svc/protocol';
import type { Request } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../platform/errors.ts';

/** Names of the parameters that an operation takes in its query. */
export const queryNamesOf = ({ parameters }: Operation): ReadonlySet<string> =>
  new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));

/** Refuses parameters that the document does not have for the operation. @throws ServiceError 'unknown-parameter' */
export function refuseUnknownParameters(request: Request, known: ReadonlySet<string>): void {
  const errors = unknownParameters(known, request.query);
  if (errors.length > 0) throw new ServiceError('unknown-parameter', { errors });
}

/**
 * Validates the query string, of which {@link refuseUnknownParameters} has seen the names.
 * @throws ServiceError 'invalid-request'
 */
export function readQuery<T extends z.ZodType>(request: Request, schema: T): z.output<T> {
  const result = validateQuery(schema, { ...request.query });
  if (!result.ok) throw new ServiceError(result.code, { errors: result.errors });
  return result.value;
}
