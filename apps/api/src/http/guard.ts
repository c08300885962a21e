import {
  type ErrorCode,
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENT_REPLAYED_HEADER,
  idempotencyKeySchema,
  MAX_ENROLMENT_BODY_BYTES,
  type Operation,
} from '@svc/protocol';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { KeyShreddedError } from '../crypto/key-ring.ts';
import type { InTransaction } from '../db/connection.ts';
import { ServiceError, sqlState } from '../platform/errors.ts';
import type { Share, SharedWhole } from '../platform/fair-share.ts';
import type { CarriedOutOnce, KeyedRequest, Outcome } from '../platform/idempotency.ts';
import { type Answer, keptText, readKept, sendAnswer } from './answer.ts';
import {
  type JsonBodyOptions,
  type Photos,
  type ReadBody,
  readJsonBody,
  refuseDeclaredLength,
  sha256Hex,
} from './body.ts';
import { type CallerNames, noteCaller, routeOf } from './observe-requests.ts';
import { queryNamesOf, refuseUnknownParameters } from './query.ts';
import type { Allowance } from './rate-limiter.ts';
import type { Handler } from './routing.ts';

export type StatuslessAnswer = Omit<Answer, 'status'>;

/** An authenticated request within its rate limits. */
export interface Call<Caller> {
  readonly caller: Caller;
  readonly request: Request;
  readonly response: Response;
  /** The share that the request belongs to, for shared resources. */
  readonly share: Share;
  /** Reads and validates the body. @throws ServiceError as `readJsonBody` */
  body<T extends z.ZodType>(schema: T, options?: JsonBodyOptions): Promise<z.output<T>>;
  /** The same for a body with photos, which the caller wipes. @param isPhoto selects base64 photos by JSON pointer */
  bodyWithPhotos<T extends z.ZodType>(
    schema: T,
    isPhoto: (pointer: string) => boolean,
    options?: JsonBodyOptions,
  ): Promise<{ readonly value: z.output<T>; readonly photos: Photos }>;
  /**
   * For an answer that goes on for long: authenticates again, without counting.
   * @throws ServiceError if the caller may not use the operation any more
   */
  recheck(): Promise<void>;
  /** The request's `Idempotency-Key`; null for none, and for all methods except POST. */
  readonly key: string | null;
  /** Whether a request with this key was carried out already, so that only its answer is needed. */
  isRepeat(): Promise<boolean>;
  /**
   * Carries the request out after its body was read, or repeats the answer of the first request with this key.
   * @param run calls one method of a service, which calls the hook in the effect's own transaction to store the answer
   * @param answer the operation's answer to what `run` made; the status is the operation's own
   * @throws ServiceError 'idempotency-key-reused', 'request-in-flight', 'secret-already-issued' or 'answer-erased',
   * besides those of `run`
   */
  once<T>(run: (remember: InTransaction<T>) => Promise<T>, answer: (made: T) => StatuslessAnswer): Promise<Answer>;
}

/** Steps for every request of one kind of caller: authentication, rate limit, and for a POST idempotency. */
export interface Guard<Caller> {
  /** @param work returns the answer, or null when it has sent it */
  handlerOf(operation: Operation, work: (call: Call<Caller>) => Promise<Answer | null>): Handler;
}

export interface GuardParts<Caller> {
  /** @throws ServiceError one of the 401s, or 'rate-limited' */
  readonly authenticate: (request: Request) => Promise<Caller>;
  /** Names for the caller in the log. */
  readonly namesOf: (caller: Caller) => CallerNames;
  /** Counts the request against the rate limit. */
  readonly count: (caller: Caller) => Promise<Allowance | null>;
  /** Why the caller may not use the operation, or null; absent for callers that all have the same rights. */
  readonly refusalOf?: (caller: Caller, operation: Operation) => ErrorCode | null;
  /** Owner of the `Idempotency-Key`s; absent when the service recognises repeats itself. */
  readonly keysOf?: (caller: Caller) => { readonly accountId: string; readonly owner: string };
  readonly idempotency: CarriedOutOnce;
  /** Memory for bodies, shared by all kinds of callers. */
  readonly bodies: SharedWhole;
  readonly shareOf: (caller: Caller) => Share;
  /** True while new work is rejected. */
  readonly isSaturated: () => boolean;
}

/** @throws ServiceError 'rate-limited' */
function enforce(response: Response, allowance: Allowance | null): void {
  if (allowance === null) return;
  tellAllowance(response, allowance);
  if (allowance.exceeded) throw new ServiceError('rate-limited', { retryAfterSeconds: allowance.resetSeconds });
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11). */
function tellAllowance(response: Response, { policy, limit, windowSeconds, remaining, resetSeconds }: Allowance): void {
  response.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${windowSeconds}`);
  response.setHeader('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
}

function outcomeOf(answer: Answer): Outcome {
  return { answer: keptText(answer), resourceId: answer.secretOf, about: answer.about };
}

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Whether an error means that the account or list was deleted during the request: its keys are destroyed, or a
 * referenced row is missing.
 */
const isBereft = (error: unknown): boolean =>
  error instanceof KeyShreddedError || sqlState(error) === FOREIGN_KEY_VIOLATION;

/** For operations without a body. */
const noBodySchema = z.object({});

/** The request's `Idempotency-Key`; null for none. @throws ServiceError 'invalid-request' */
function idempotencyKeyOf(request: Request): string | null {
  const header = request.get(IDEMPOTENCY_KEY_HEADER);
  if (header === undefined) return null;
  const key = idempotencyKeySchema.safeParse(header);
  if (key.success) return key.data;
  throw new ServiceError('invalid-request', {
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
  });
}

const NOTHING: InTransaction<unknown> = () => Promise.resolve();

export function createGuard<Caller>(o: GuardParts<Caller>): Guard<Caller> {
  function requireRight(caller: Caller, operation: Operation): void {
    const refusal = o.refusalOf?.(caller, operation) ?? null;
    if (refusal !== null) throw new ServiceError(refusal);
  }

  async function authenticated(
    request: Request,
    response: Response,
    operation: Operation,
    queryNames: ReadonlySet<string>,
  ): Promise<Caller> {
    if (o.isSaturated()) throw new ServiceError('overloaded');
    const caller = await o.authenticate(request);
    noteCaller(response, o.namesOf(caller));
    enforce(response, await o.count(caller));
    requireRight(caller, operation);
    refuseUnknownParameters(request, queryNames);
    return caller;
  }

  /**
   * Runs work for an account that may be deleted meanwhile; the answer is then the credential's current error instead
   * of 500.
   */
  async function workFor<T>(request: Request, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isBereft(error)) await o.authenticate(request);
      throw error;
    }
  }

  async function carryOutOnce<T>(
    keyed: KeyedRequest,
    response: Response,
    run: (remember: InTransaction<T>) => Promise<T>,
    answerTo: (made: T) => Answer,
  ): Promise<Answer> {
    const begun = await o.idempotency.begin(keyed);
    if ('answer' in begun) {
      response.setHeader(IDEMPOTENT_REPLAYED_HEADER, 'true');
      return readKept(begun.answer);
    }
    const { claim } = begun;
    let remembered = false;
    try {
      const result = await run(async (tx, made) => {
        await claim.complete(tx, outcomeOf(answerTo(made)));
        remembered = true;
      });
      const answer = answerTo(result);
      if (!remembered) await claim.complete(null, outcomeOf(answer));
      return answer;
    } catch (error) {
      // It is tried again; if this node ends before, the key is free when its claim expires.
      await claim.release().catch(() => undefined);
      throw error;
    } finally {
      claim.close();
    }
  }

  function callOf(
    request: Request,
    response: Response,
    operation: Operation,
    caller: Caller,
    key: string | null,
  ): Call<Caller> {
    const share = o.shareOf(caller);
    const keys = o.keysOf?.(caller);
    const route = `${request.method} ${routeOf(request.route) ?? ''}`;
    const named = key === null || keys === undefined ? null : { ...keys, route, key };
    let bodySha256 = sha256Hex();
    async function read<T extends z.ZodType>(
      schema: T,
      options: JsonBodyOptions & { readonly isPhoto?: (pointer: string) => boolean },
    ): Promise<ReadBody<z.output<T>>> {
      const reading = { ...options, memory: { whole: o.bodies, share }, hashed: key !== null };
      const body = await readJsonBody(request, response, schema, reading);
      if (body.sha256 !== null) bodySha256 = body.sha256;
      return body;
    }
    return {
      ...{ caller, request, response, share, key },
      async body(schema, options = {}) {
        const { value, photos } = await read(schema, options);
        photos.wipe();
        return value;
      },
      bodyWithPhotos: (schema, isPhoto, options = {}) => read(schema, { ...options, isPhoto }),
      async recheck() {
        requireRight(await o.authenticate(request), operation);
      },
      isRepeat: async () => named !== null && (await o.idempotency.isCarriedOut(named)),
      async once(run, answer) {
        const answerTo = (made: Parameters<typeof answer>[0]) => ({
          ...answer(made),
          status: operation.success.status,
        });
        if (named === null) return answerTo(await run(NOTHING));
        return carryOutOnce({ ...named, target: request.originalUrl, bodySha256 }, response, run, answerTo);
      },
    };
  }

  return {
    handlerOf(operation, work) {
      const queryNames = queryNamesOf(operation);
      const isPost = operation.method === 'post';
      return async (request, response) => {
        if (operation.request?.photos) refuseDeclaredLength(request, MAX_ENROLMENT_BODY_BYTES);
        const caller = await authenticated(request, response, operation, queryNames);
        const call = callOf(request, response, operation, caller, isPost ? idempotencyKeyOf(request) : null);
        if (isPost && operation.request === undefined) await call.body(noBodySchema, { optional: true });
        const answer = await workFor(request, () => work(call));
        if (answer !== null) sendAnswer(response, answer);
      };
    },
  };
}
