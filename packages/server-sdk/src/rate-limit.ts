/** The rest of a rate limit. */
export interface RateLimit {
  /** Requests per window of `windowMs` milliseconds. */
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** Milliseconds until the next window begins. */
  readonly resetMs: number;
}

function parameters(header: string | null): Map<string, number> {
  const parts = (header ?? '').split(';').slice(1);
  return new Map(
    parts.flatMap((part) => {
      const [, name, value] = /^\s*([qwrt])=(\d{1,15})\s*$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, Number(value)] as const];
    }),
  );
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11, one policy).
 * @returns null where they are absent or unreadable
 */
export function readRateLimit(headers: Headers): RateLimit | null {
  const policy = parameters(headers.get('ratelimit-policy'));
  const state = parameters(headers.get('ratelimit'));
  const [limit, window, remaining, reset] = [policy.get('q'), policy.get('w'), state.get('r'), state.get('t')];
  if (limit === undefined || window === undefined || remaining === undefined || reset === undefined) return null;
  return { limit, windowMs: window * 1000, remaining, resetMs: reset * 1000 };
}

const BASE_MS = 250;
const CAP_MS = 8_000;
/** Longer waits are left to the caller. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Delay before the next attempt: exponential with full jitter, at least what the service asked for.
 * @param attempt 0 after the first
 * @param random 0 ≤ random < 1
 * @returns milliseconds; null when the service asks for a longer wait than this client retries after
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null, random: number): number | null {
  const jitter = random * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
  if (retryAfterMs === null) return jitter;
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? null : retryAfterMs + jitter;
}

/**
 * `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date by the clock of whoever answered.
 * @param nowMs for an answer without `Date`
 * @returns milliseconds, null where it is absent or unreadable
 */
export function readRetryAfter(headers: Headers, nowMs: number): number | null {
  const header = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const [atMs, answeredMs] = [Date.parse(header), Date.parse(headers.get('date') ?? '')];
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - (Number.isNaN(answeredMs) ? nowMs : answeredMs));
}
