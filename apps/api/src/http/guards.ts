import { type ApiKeyScope, freshMsOf, MAX_ENROLMENT_BODY_BYTES, type Operation } from '@svc/protocol';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ApiConfig } from '../config/config.ts';
import { KeyShreddedError } from '../crypto/key-ring.ts';
import type { Database, InTransaction } from '../db/connection.ts';
import { createPlainQueries } from '../db/plain-queries.ts';
import { ServiceError, sqlState } from '../platform/errors.ts';
import { FairQuota, guestsShare, type Share, serverShare } from '../platform/fair-share.ts';
import type { CarriedOutOnce } from '../platform/idempotency.ts';
import type { Clock, Random, SessionOfCaller } from '../platform/ports.ts';
import { type Answer, sendAnswer } from './answer.ts';
import {
  type JsonBodyOptions,
  type Photos,
  type PhotosIn,
  type ReadBody,
  readBody,
  refuseDeclaredLength,
} from './body.ts';
import {
  apiKeyOf,
  bearerOf,
  createAddressBucket,
  createLookUpCredential,
  isOfSession,
  refuseForeignPage,
  refuseForgery,
  sessionSecretOf,
} from './credentials.ts';
import { carryOutOnce, idempotencyKeyOf } from './idempotency.ts';
import { type CallerNames, noteCaller, routeOf } from './observe-requests.ts';
import { queryNamesOf, refuseUnknownParameters } from './query.ts';
import { type Allowance, createLocalLimiter, createSharedLimiter } from './rate-limiter.ts';
import type { Handler } from './routing.ts';
import { sha256Hex } from './understand-body.ts';

/** An answer whose status is the operation's own, unless it says another. */
export type Unsent = Omit<Answer, 'status'> & Partial<Pick<Answer, 'status'>>;

/** An authenticated request within its rate limits. */
export interface Call<Caller> {
  readonly caller: Caller;
  readonly request: Request;
  readonly response: Response;
  /** The share that the request belongs to, for shared resources. */
  readonly share: Share;
  /** Reads and validates the body. @throws ServiceError as `readBody` */
  body<T extends z.ZodType>(schema: T, options?: JsonBodyOptions): Promise<z.output<T>>;
  /** The same for a body with photos, which the caller wipes. */
  bodyWithPhotos<T extends z.ZodType>(
    schema: T,
    options: JsonBodyOptions & PhotosIn,
  ): Promise<{ readonly value: z.output<T>; readonly photos: Photos }>;
  /**
   * For an answer that goes on for long: authenticates again, without counting.
   * @throws ServiceError if the caller may not use the operation any more
   */
  recheck(): Promise<void>;
  /** The request's `Idempotency-Key`; null for none, and for operations that take none. */
  readonly key: string | null;
  /** Whether a request with this key was carried out already, so that only its answer is needed. */
  isRepeat(): Promise<boolean>;
  /**
   * Carries the request out after its body was read, or repeats the answer of the first request with this key.
   * @param run calls one method of a service, which calls the hook in the effect's own transaction to store the answer
   * @param answer the operation's answer to what `run` made; the status is the operation's own by default
   * @param part of a request whose parts are carried out once each: its name, which no other has, and its content's hash
   * @throws ServiceError 'idempotency-key-reused', 'request-in-flight', 'secret-already-issued' or 'answer-erased',
   * besides those of `run`
   */
  once<T>(
    run: (remember: InTransaction<T>) => Promise<T>,
    answer: (made: T) => Unsent,
    part?: { readonly name: string; readonly sha256: string },
  ): Promise<Answer>;
}

/** Steps for every request of one kind of caller: authentication, rate limit, idempotency. */
export interface Guard<Caller> {
  /** @param work returns the answer, or null when it has sent it */
  handlerOf(operation: Operation, work: (call: Call<Caller>) => Promise<Answer | null>): Handler;
}

interface GuardParts<Caller> {
  /** @throws ServiceError one of the 401s, or 'rate-limited' */
  readonly authenticate: (request: Request) => Promise<Caller>;
  /** Names for the caller in the log. */
  readonly namesOf: (caller: Caller) => CallerNames;
  /** Counts the request against the rate limit. */
  readonly count: (caller: Caller) => Promise<Allowance | null>;
  /** Whether the caller's scopes include the operation's; absent for callers that all have the same rights. */
  readonly mayUse?: (caller: Caller, operation: Operation) => boolean;
  /** A person's session, of which some operations need a fresh sign-in. */
  readonly sessionOf?: (caller: Caller) => SessionOfCaller | undefined;
  /** Owner of the `Idempotency-Key`s; absent when the service recognises repeats itself. */
  readonly keysOf?: (caller: Caller) => { readonly accountId: string; readonly owner: string };
  readonly idempotency: CarriedOutOnce;
  /** Memory for bodies, shared by all kinds of callers. */
  readonly bodies: FairQuota;
  readonly clock: Clock;
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

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Whether an error means that the account or list was deleted during the request: its keys are destroyed, or a
 * referenced row is missing.
 */
const isBereft = (error: unknown): boolean =>
  error instanceof KeyShreddedError || sqlState(error) === FOREIGN_KEY_VIOLATION;

/** For operations without a body. */
const noBodySchema = z.object({});

const NOTHING: InTransaction<unknown> = () => Promise.resolve();

function createGuard<Caller>(o: GuardParts<Caller>): Guard<Caller> {
  function requireRight(caller: Caller, operation: Operation): void {
    if (o.mayUse?.(caller, operation) === false) throw new ServiceError('insufficient-scope');
    requireFresh(caller, operation, {});
  }

  /** @param body empty before it is read @throws ServiceError 'reauthentication-required' */
  function requireFresh(caller: Caller, { operationId, fresh = [] }: Operation, body: object): void {
    const session = o.sessionOf?.(caller);
    const given = Object.entries(body).flatMap(([name, value]) => (value === null || value === false ? [] : name));
    const isAsked = typeof fresh === 'object' ? fresh.some((name) => given.includes(name)) : fresh === true;
    if (session === undefined || !isAsked) return;
    const ageMs = o.clock.now() - session.authenticatedAt.getTime();
    if (ageMs > freshMsOf(operationId, session.role)) throw new ServiceError('reauthentication-required');
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
      options: JsonBodyOptions & Partial<PhotosIn>,
    ): Promise<ReadBody<z.output<T>>> {
      const reading = { ...options, memory: { whole: o.bodies, share }, hashed: key !== null };
      const body = await readBody(request, response, schema, reading);
      if (body.sha256 !== null) bodySha256 = body.sha256;
      return body;
    }
    return {
      ...{ caller, request, response, share, key },
      async body(schema, options = {}) {
        const { value, photos } = await read(schema, options);
        photos.wipe();
        requireFresh(caller, operation, Object(value));
        return value;
      },
      bodyWithPhotos: read,
      async recheck() {
        requireRight(await o.authenticate(request), operation);
      },
      isRepeat: async () => named !== null && (await o.idempotency.isCarriedOut(named)),
      async once(run, answer, part) {
        const answerTo = (made: Parameters<typeof answer>[0]) => ({
          status: operation.success.status,
          ...answer(made),
        });
        if (named === null) return answerTo(await run(NOTHING));
        const target = request.originalUrl;
        // No key of a request has a space.
        const ofPart = part && { key: `${named.key} ${part.name}`, bodySha256: part.sha256 };
        const keyed = { ...named, target, bodySha256, ...ofPart };
        return carryOutOnce(o.idempotency, keyed, response, run, answerTo);
      },
    };
  }

  return {
    handlerOf(operation, work) {
      const queryNames = queryNamesOf(operation);
      const isKeyed = operation.method === 'post' || operation.keyed === true;
      const largest = operation.request?.limitBytes ?? MAX_ENROLMENT_BODY_BYTES;
      return async (request, response) => {
        if (operation.request?.photos) refuseDeclaredLength(request, largest);
        const caller = await authenticated(request, response, operation, queryNames);
        const call = callOf(request, response, operation, caller, isKeyed ? idempotencyKeyOf(request) : null);
        if (operation.method === 'post' && operation.request === undefined)
          await call.body(noBodySchema, { optional: true });
        const answer = await workFor(request, () => work(call));
        if (answer !== null) sendAnswer(response, answer);
      };
    },
  };
}

/** If counting in the database takes longer, this node counts alone. */
const COUNT_LIMIT_MS = 500;
/** Those who have not signed in yet, together. */
const VISITORS: Share = { name: 'visitors', weight: 1 };

/** Kinds of callers by credential. */
export interface Callers {
  readonly apiKey: {
    readonly accountId: string;
    readonly keyId: string;
    /** Scopes null: all. */
    readonly rights: { readonly scopes: readonly ApiKeyScope[] | null };
    /** Set for a person in the dashboard, who has no API key. */
    readonly session?: SessionOfCaller;
  };
  readonly session: SessionOfCaller;
  readonly guestToken: { readonly accountId: string; readonly tokenId: string };
  readonly deviceToken: { readonly accountId: string; readonly deviceId: string; readonly listId: string };
}

/** One guard per kind of caller, and one for those who sign in. */
export type Guards<C extends Callers> = { readonly [Security in keyof Callers]: Guard<C[Security]> } & {
  readonly visitor: Guard<unknown>;
};

interface GuardsParts<C extends Callers> {
  readonly traffic: ApiConfig['traffic'];
  readonly database: Pick<Database, 'connection' | 'isSaturated'>;
  readonly idempotency: CarriedOutOnce;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateAccount: (apiKey: string) => Promise<C['apiKey']>;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticatePerson: (secret: string) => Promise<C['session']>;
  /** Notes that a session was used; not called for requests that only last. */
  readonly noteUse: (session: SessionOfCaller) => void;
  /** A person as a caller of the organiser's operations. */
  readonly accountCallerOf: (person: C['session']) => C['apiKey'];
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateGuest: (token: string) => Promise<C['guestToken']>;
  /** @throws ServiceError 'invalid-credential' */
  readonly authenticateDevice: (token: string) => Promise<C['deviceToken']>;
  /** Origin of the dashboard; null where its address is not known. */
  readonly dashboardOrigin: string | null;
  readonly clock: Clock;
  readonly random: Random;
}

export function createGuards<C extends Callers>(o: GuardsParts<C>): Guards<C> {
  const { rateLimits } = o.traffic;
  const bucketOf = createAddressBucket(o.random);
  const lookUp = createLookUpCredential(rateLimits.unknownCredentials, bucketOf);
  const queries = createPlainQueries(o.database, COUNT_LIMIT_MS);
  const apiKeys = createSharedLimiter('api-key', rateLimits.apiKey, queries);
  const sessions = createSharedLimiter('session', rateLimits.apiKey, queries);
  const signIns = createLocalLimiter('sign-in', rateLimits.signIn);
  const guestTokens = createSharedLimiter('guest-token', rateLimits.guestToken, queries);
  const devices = createLocalLimiter('device', rateLimits.device);
  const common = {
    idempotency: o.idempotency,
    bodies: new FairQuota(o.traffic.bodyBytes),
    clock: o.clock,
    isSaturated: () => o.database.isSaturated(),
  };
  function authenticatePerson(request: Request): Promise<C['session']> {
    return lookUp(request, async () => {
      const secret = sessionSecretOf(request);
      const person = await o.authenticatePerson(secret);
      refuseForgery(request, o.dashboardOrigin, secret);
      return person;
    });
  }
  function countSession(session: SessionOfCaller) {
    o.noteUse(session);
    return sessions.count(`${session.userId}/${session.sessionId}`);
  }
  return {
    apiKey: createGuard<C['apiKey']>({
      ...common,
      async authenticate(request) {
        if (isOfSession(request)) return o.accountCallerOf(await authenticatePerson(request));
        return lookUp(request, () => o.authenticateAccount(apiKeyOf(request)));
      },
      namesOf: ({ accountId, keyId, session }) =>
        session === undefined ? { accountId, keyId } : { accountId, userId: session.userId },
      shareOf: ({ accountId }) => serverShare(accountId),
      count: ({ accountId, keyId, session }) =>
        session === undefined ? apiKeys.count(`${accountId}/${keyId}`) : countSession(session),
      mayUse: ({ rights: { scopes } }, { scope }) =>
        scope === null || scopes === null || (scope !== undefined && scopes.includes(scope)),
      sessionOf: ({ session }) => session,
      // An organiser that rotates its API key repeats its requests with the new one. People do not share theirs.
      keysOf: ({ accountId, session }) => ({ accountId, owner: session === undefined ? 'account' : session.userId }),
    }),
    session: createGuard<C['session']>({
      ...common,
      authenticate: authenticatePerson,
      namesOf: ({ accountId, userId }) => ({ accountId, userId }),
      shareOf: ({ accountId }) => serverShare(accountId),
      count: countSession,
      sessionOf: (person) => person,
    }),
    visitor: createGuard<{ readonly address: string }>({
      ...common,
      authenticate(request) {
        // A page elsewhere could otherwise sign its visitors in as somebody else.
        refuseForeignPage(request, o.dashboardOrigin);
        return Promise.resolve({ address: bucketOf(request) });
      },
      namesOf: () => ({}),
      shareOf: () => VISITORS,
      count: ({ address }) => signIns.count(address),
    }) as Guard<unknown>,
    guestToken: createGuard({
      ...common,
      authenticate: (request) => lookUp(request, () => o.authenticateGuest(bearerOf(request, 'svce'))),
      namesOf: ({ accountId }) => ({ accountId }),
      shareOf: ({ accountId }) => guestsShare(accountId),
      // A token works once and recognises its own repeats.
      count: ({ accountId, tokenId }) => guestTokens.count(`${accountId}/${tokenId}`),
    }),
    deviceToken: createGuard({
      ...common,
      authenticate: (request) => lookUp(request, () => o.authenticateDevice(bearerOf(request, 'svcd'))),
      namesOf: ({ accountId, deviceId }) => ({ accountId, deviceId }),
      shareOf: ({ accountId }) => serverShare(accountId),
      count: ({ listId, deviceId }) => devices.count(`${listId}/${deviceId}`),
    }),
  };
}
