import { type Operation, operations, unknownParameters, validateQuery } from '@svc/protocol';
import type { Request } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../platform/errors.ts';
import { routeOf } from './route-label.ts';

interface Described {
  readonly operation: Operation;
  readonly queryNames: ReadonlySet<string>;
}

/** Method and pattern of the route, as Express writes it → the operation, as the document has it. */
const DESCRIBED: ReadonlyMap<string, Described> = new Map(
  operations.map((operation) => {
    const route = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const ofQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const queryNames = new Set(ofQuery.map(({ name }) => name));
    return [`${operation.method.toUpperCase()} ${route}`, { operation, queryNames }];
  }),
);

function describedOf(request: Request): Described | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return DESCRIBED.get(`${method} ${routeOf(request.route) ?? ''}`);
}

/** An operation that anybody may ask for; false for what the document does not tell of, such as pages. */
export const asksForNoCredential = (request: Request): boolean => describedOf(request)?.operation.security === 'none';

/** Whether the document has a body for the operation that a request asks for. */
export const takesBody = (request: Request): boolean => describedOf(request)?.operation.request !== undefined;

const NONE: ReadonlySet<string> = new Set();

/** Refuses parameters that the document does not have for the operation. @throws ServiceError 'unknown-parameter' */
export function refuseUnknownParameters(request: Request): void {
  const errors = unknownParameters(describedOf(request)?.queryNames ?? NONE, request.query);
  if (errors.length > 0) throw new ServiceError('unknown-parameter', { errors });
}

/** Validates the query string, of which {@link refuseUnknownParameters} has seen the names. @throws ServiceError 'invalid-request' */
export function readQuery<T extends z.ZodType>(request: Request, schema: T): z.output<T> {
  const result = validateQuery(schema, { ...request.query });
  if (!result.ok) throw new ServiceError(result.code, { errors: result.errors });
  return result.value;
}

/** A path parameter; Express has percent-decoded it. */
export function pathParameter(request: Request, name: string): string {
  const value: unknown = request.params[name];
  return typeof value === 'string' ? value : '';
}
