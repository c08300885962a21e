import {
  type AnswerOf,
  deprecationHeaders,
  isPhotoPointer,
  MAX_ENROLMENT_BODY_BYTES,
  MAX_JSON_BODY_BYTES,
  type Operation,
  type OperationId,
  type OperationTable,
  operations,
  type PathParameter,
  type PathParameters,
  pathNames,
  pathParameters,
  resourceNames,
} from '@svc/protocol';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { InTransaction } from '../db/connection.ts';
import { missing } from '../platform/errors.ts';
import type { Share } from '../platform/fair-share.ts';
import { type Answer, sendAnswer } from './answer.ts';
import type { Photos } from './body.ts';
import type { Call, Callers, Guard, Guards, Unsent } from './guards.ts';
import { queryNamesOf, readQuery, refuseUnknownParameters } from './query.ts';
import { type Handler, type Methods, mount } from './routing.ts';

/** A body before it is written as JSON, which gives times their form. */
export type Sendable<T> = string extends T
  ? T | Date
  : T extends object
    ? { readonly [Field in keyof T]: Sendable<T[Field]> }
    : T;
/** What an operation answers. */
type Body<O> = Sendable<AnswerOf<O>>;

/** An operation that takes an `Idempotency-Key`. */
type Keyed = { readonly method: 'post' } | { readonly keyed: true };

/** Answer of a POST; its status comes from the table by default. */
type PostAnswer<O> = Omit<Unsent, 'body'> &
  (AnswerOf<O> extends undefined ? { readonly body?: undefined } : { readonly body: Body<O> });

interface PostCall<O> extends Pick<Call<unknown>, 'key' | 'isRepeat'> {
  /** As {@link Call.once}. */
  once<T>(run: (remember: InTransaction<T>) => Promise<T>, answer: (made: T) => PostAnswer<O>): Promise<PostAnswer<O>>;
  /** The same for a part of the request. */
  readonly onceFor: Call<unknown>['once'];
}

interface PhotosCall<Body> {
  /** Reads the body; the caller wipes its photos. @throws ServiceError as `readBody` of body.ts */
  readBody(): Promise<{ readonly value: Body; readonly photos: Photos }>;
}

type BodyOf<O> = O extends { readonly request: { readonly schema: infer S extends z.ZodType } }
  ? O extends { readonly request: { readonly photos: string } }
    ? PhotosCall<
        O extends { readonly request: { readonly envelope: infer E extends z.ZodType } } ? z.output<E> : z.output<S>
      >
    : { readonly body: z.output<S> }
  : unknown;

/** Input of a handler: the caller and the operation's validated input. */
type OperationCall<O extends OperationTable[OperationId], C extends Callers> = {
  readonly caller: O['security'] extends keyof C ? C[O['security']] : null;
  readonly params: PathParameters<O['path']>;
  readonly request: Request;
  readonly response: Response;
  /** The share that the request belongs to, for shared resources. */
  readonly share: Share;
} & (O['security'] extends keyof C ? Pick<Call<unknown>, 'recheck'> : unknown) &
  (O extends { readonly query: infer S extends z.ZodType } ? { readonly query: z.output<S> } : unknown) &
  BodyOf<O> &
  (O extends Keyed ? PostCall<O> : unknown);

type Eventually<T> = Promise<T> | T;

type Result<O extends OperationTable[OperationId]> = O extends Keyed
  ? O extends { readonly success: { readonly mediaType: string } }
    ? Promise<void>
    : Eventually<PostAnswer<O>>
  : AnswerOf<O> extends undefined
    ? Promise<void> | undefined
    : O extends { readonly success: { readonly alternatives: unknown } }
      ? Eventually<Body<O> | undefined>
      : Eventually<Body<O>>;

/**
 * The handlers of all operations. A handler returns a POST's {@link PostAnswer} or the body; undefined for an empty
 * body, or when it has sent an answer of another media type itself.
 */
export type OperationHandlers<C extends Callers> = {
  readonly [Id in OperationId]: (call: OperationCall<OperationTable[Id], C>) => Result<OperationTable[Id]>;
};

type AnyHandler = (call: object) => unknown;

/** @throws ServiceError 'not-found' */
function readParams(request: Request, names: readonly PathParameter[]): Record<string, string> {
  const read = (name: PathParameter) => {
    const parameter = pathParameters[name].safeParse(request.params[name]);
    if (!parameter.success) throw missing(resourceNames[name]);
    return [name, parameter.data] as const;
  };
  return Object.fromEntries(names.map(read));
}

/** Combines a status with a handler's result; null when the handler has sent the answer. */
function toAnswer({ method, keyed, success: { status, mediaType } }: Operation, result: unknown): Answer | null {
  if (method === 'post' && mediaType !== undefined) return null;
  if (method === 'post' || keyed) return { status, ...(result as Unsent) };
  if (result !== undefined) return { status, body: result as object };
  return status === 204 ? { status } : null;
}

async function carryOut(operation: Operation, handler: AnyHandler, call: Call<unknown>): Promise<Answer | null> {
  const { request, query } = operation;
  const { caller, response, share, key, isRepeat, recheck, once } = call;
  const given = {
    ...{ caller, request: call.request, response, share, key, isRepeat, recheck, once, onceFor: once },
    params: readParams(call.request, pathNames(operation.path)),
    // Validated on access, so that earlier errors of the handler take precedence.
    get query() {
      return query === undefined ? undefined : readQuery(call.request, query);
    },
    readBody: () =>
      call.bodyWithPhotos(request?.envelope ?? request?.schema ?? z.never(), {
        limitBytes: request?.limitBytes ?? MAX_ENROLMENT_BODY_BYTES,
        maxValues: request?.maxValues,
        isPhoto: isPhotoPointer,
        jsonPart: request?.photos ?? '',
        isEnvelope: request?.envelope !== undefined,
      }),
    body:
      request === undefined || request.photos
        ? undefined
        : await call.body(request.schema, {
            optional: request.required === false,
            limitBytes: request.limitBytes ?? MAX_JSON_BODY_BYTES,
            maxValues: request.maxValues,
          }),
  };
  return toAnswer(operation, await handler(given));
}

/** For operations without authentication. */
function open(operation: Operation, handler: AnyHandler): Handler {
  const queryNames = queryNamesOf(operation);
  return async (request, response) => {
    refuseUnknownParameters(request, queryNames);
    const params = readParams(request, pathNames(operation.path));
    const query = operation.query && readQuery(request, operation.query);
    const answer = toAnswer(operation, await handler({ caller: null, request, response, params, query }));
    if (answer !== null) sendAnswer(response, answer);
  };
}

/** Announces the removal of a deprecated operation with every answer, refusals too. */
function announced(operation: Operation, handler: Handler): Handler {
  const headers = Object.entries(deprecationHeaders(operation));
  if (headers.length === 0) return handler;
  return (request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    return handler(request, response);
  };
}

/**
 * Mounts every operation of the table with its path, guard, validation and status.
 * @param handlers in the order in which the router tries their paths
 * @param table the operations; another one for tests
 */
export function mountOperations<C extends Callers>(
  router: Router,
  guards: Guards<C>,
  handlers: OperationHandlers<C>,
  table: readonly Operation[] = operations,
): void {
  const paths = new Map<string, Methods>();
  for (const [operationId, handler] of Object.entries<AnyHandler>(handlers as never)) {
    const operation = table.find((one) => one.operationId === operationId);
    if (operation === undefined) throw new Error(`${operationId} is no operation`);
    const { path, method, security, signsIn } = operation;
    const guard = security === 'none' ? (signsIn ? guards.visitor : null) : (guards[security] as Guard<unknown>);
    const own =
      guard === null
        ? open(operation, handler)
        : guard.handlerOf(operation, (call) => carryOut(operation, handler, call));
    paths.set(path, { ...paths.get(path), [method]: announced(operation, own) });
  }
  for (const [path, methods] of paths) {
    // A person may have the name of an operation.
    const mayBePerson = !path.endsWith('}') && paths.has(path.replace(/[^/]+$/, '{personId}'));
    mount(router, path.replaceAll(/\{(\w+)\}/g, ':$1'), methods, mayBePerson);
  }
}
