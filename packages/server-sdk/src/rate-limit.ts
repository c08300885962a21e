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
