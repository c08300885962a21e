import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  apiKeyPrefixes,
  CSRF_HEADER,
  isSecret,
  SESSION_COOKIE,
  type SecretPrefix,
  secretPrefixOf,
} from '@svc/protocol';
import type { Request, RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../platform/errors.ts';
import type { Random } from '../platform/ports.ts';
import { createLocalLimiter, WINDOW_SECONDS } from './rate-limiter.ts';

/** Most cookies of a request that are looked at. */
const MOST = 100;

/**
 * A cookie's value; undefined for none. Two of one name are an attempt to plant one: browsers send them in an order that
 * says nothing, so neither counts.
 */
export function cookieOf(request: Request, name: string): string | undefined {
  const parts = request.headers.cookie?.split(';', MOST) ?? [];
  const values = parts.flatMap((part) => {
    const [key = '', ...value] = part.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

const HOST = '__Host-';
type CookieName = `${typeof HOST}svc-${string}`;

/**
 * Sets a cookie that this host alone gets, over TLS or on this machine, and no script reads.
 * @param name with the prefix by which browsers hold a cookie to just that
 */
export function setCookie(response: Response, name: CookieName, value: string, maxAgeMs: number): void {
  const set = (as: string, secure: string) => {
    const lasts = `Max-Age=${Math.floor(maxAgeMs / 1_000)}`;
    response.append('Set-Cookie', `${as}=${value}; Path=/; ${lasts};${secure} HttpOnly; SameSite=Lax`);
  };
  set(name, ' Secure;');
  if (response.locals.overHttp === true) set(name.slice(HOST.length), '');
}

/**
 * For a dashboard at `http://localhost`, where Safari neither keeps nor sends `Secure` cookies: each is set a second time
 * without that mark and its prefix, and counts where the browser has not kept the first.
 */
export const cookiesOverHttp: RequestHandler = (request, response, next) => {
  const { headers } = request;
  if (headers.cookie?.includes(HOST) === false)
    headers.cookie = headers.cookie.replace(/(^|;) *(?=svc-)/g, `$1${HOST}`);
  response.locals.overHttp = true;
  next();
};

export function clearCookie(response: Response, name: CookieName): void {
  setCookie(response, name, '', 0);
}

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
function checkKind(credential: string, ...prefixes: readonly SecretPrefix[]): string {
  const claimed = secretPrefixOf(credential);
  if (claimed !== null && !prefixes.includes(claimed)) throw new ServiceError('wrong-credential');
  if (claimed === null || !isSecret(claimed, credential)) throw new ServiceError('invalid-credential');
  return credential;
}

/** The API key in `X-Api-Key`. @throws ServiceError 'missing-credential', 'wrong-credential' or 'invalid-credential' */
export function apiKeyOf(request: Request): string {
  const key = apiKeyHeader(request);
  if (key !== undefined) return checkKind(key, ...Object.values(apiKeyPrefixes));
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

/** The CSRF token of a session: follows from its secret, so that nothing has to be stored. */
export const csrfTokenOf = (secret: string): string => createHmac('sha256', secret).update('csrf').digest('base64url');

/** Whether a method changes nothing (RFC 9110 section 9.2.1). */
const isSafe = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/**
 * Refuses what a page of another origin sends, as far as the browser tells: `Origin` and `Sec-Fetch-Site` cannot be set
 * by a page.
 * @param origin of the dashboard; null where its address is not known
 * @throws ServiceError 'foreign-page'
 */
export function refuseForeignPage(request: Request, origin: string | null): void {
  if (isSafe(request)) return;
  const said = request.get('origin');
  const site = request.get('sec-fetch-site');
  if ((said !== undefined && said !== origin) || (site !== undefined && site !== 'same-origin')) {
    throw new ServiceError('foreign-page');
  }
}

/**
 * Refuses a change in the name of a signed-in person that does not prove to come from the dashboard.
 * @throws ServiceError 'foreign-page' or 'csrf-token-invalid'
 */
export function refuseForgery(request: Request, origin: string | null, secret: string): void {
  if (isSafe(request)) return;
  refuseForeignPage(request, origin);
  const given = Buffer.from(request.get(CSRF_HEADER) ?? '');
  const expected = Buffer.from(csrfTokenOf(secret));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ServiceError('csrf-token-invalid');
  }
}

const IPV6_NETWORK_BYTES = 8;
const BUCKET_BYTES = 2;

/** An IPv4 address, or an IPv6 address's /64 network, since its owner has 2⁶⁴ addresses. */
function networkOf(address: string): Uint8Array {
  if (!ipaddr.isValid(address)) return new Uint8Array(0);
  const parsed = ipaddr.process(address);
  const bytes = Uint8Array.from(parsed.toByteArray());
  return parsed.kind() === 'ipv6' ? bytes.subarray(0, IPV6_NETWORK_BYTES) : bytes;
}

/** Maps a request's network address to one of 65,536 counters. */
type AddressBucket = (request: Pick<Request, 'ip'>) => string;

/**
 * Counters by address in constant memory and without storing addresses: each is mapped to a bucket with a key of this
 * process. Collisions are possible.
 */
export function createAddressBucket(random: Random): AddressBucket {
  const key = random.bytes(32);
  return ({ ip }) =>
    createHmac('sha256', key)
      .update(networkOf(ip ?? ''))
      .digest()
      .subarray(0, BUCKET_BYTES)
      .toString('hex');
}

/**
 * Counts requests by network address, on this node.
 * @param limit requests per minute; 0 for no limit
 * @returns throws ServiceError 'rate-limited' above it
 */
export function createAddressLimit(policy: string, limit: number, bucketOf: AddressBucket) {
  const limiter = createLocalLimiter(policy, limit);
  return async (request: Request): Promise<void> => {
    const allowance = await limiter.count(bucketOf(request));
    if (allowance?.exceeded) throw new ServiceError('rate-limited', { retryAfterSeconds: allowance.resetSeconds });
  };
}

/**
 * Reads and looks up a credential, and counts those that do not exist, mistyped ones too, by network address: above the
 * limit they get 'rate-limited' instead of 'invalid-credential'. Existing credentials are never rejected because of
 * others from the same address, which may be a NAT. Guessing is hopeless with 256 random bits; the database load is
 * bounded because concurrent look-ups share a statement.
 */
export type LookUpCredential = <T>(request: Request, lookUp: () => Promise<T>) => Promise<T>;

/** @param limit unknown credentials per address and minute; 0 for no limit */
export function createLookUpCredential(limit: number, bucketOf: AddressBucket): LookUpCredential {
  if (limit === 0) return async (_request, lookUp) => lookUp();
  const failures = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });

  return async (request, lookUp) => {
    try {
      return await lookUp();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid-credential') throw error;
      const { consumedPoints, msBeforeNext } = await failures.penalty(bucketOf(request));
      if (consumedPoints <= limit) throw error;
      throw new ServiceError('rate-limited', { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });
    }
  };
}
