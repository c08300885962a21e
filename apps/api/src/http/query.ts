import { validateQuery } from '@svc/protocol';
import type { Request } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';

/** Validates the query string; parameters that the schema does not know are left out. @throws ServiceError 'invalid-request' */
export function readQuery<T extends z.ZodType>(request: Request, schema: T): z.output<T> {
  const result = validateQuery(schema, { ...request.query });
  if (!result.ok) throw new ServiceError('invalid-request', { errors: result.errors });
  return result.value;
}

/** A path parameter; Express has percent-decoded it. */
export function pathParameter(request: Request, name: string): string {
  const value: unknown = request.params[name];
  return typeof value === 'string' ? value : '';
}
