import { type ApiProblem, SvcApiError, SvcConnectionError } from './errors.ts';
import { Collection, type Page, type PageRequest } from './pages.ts';
import { chunksOf, createPatience, type Patience } from './patience.ts';
import { type RateLimit, readRateLimit, readRetryAfter, retryDelayMs } from './rate-limit.ts';

/** How to reach the service, with timeouts and retries. */
export interface SvcClientOptions {
  /** Such as `https://eu.example.com`, without user, query and fragment; http for localhost or with `allowHttp`. */
  readonly baseUrl: string;
  /** Permits http to any host: for networks that are trusted with the key and with photos. */
  readonly allowHttp?: boolean;
  /** `svck_…`, or `svct_…` of a test account; never give it to a browser. */
  readonly apiKey: string;
  /** Attempts after the first; default 3. */
  readonly maxRetries?: number;
  /** For each attempt, and in an export for each wait for more data; default 60,000, for `enrolPeople` 600,000. */
  readonly timeoutMs?: number;
  /** Called for every successful answer, before the call resolves; see {@link CallOptions.onAnswer}. */
  readonly onAnswer?: (answer: Answer) => void;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch;
}

/** Status and headers of a successful answer. */
export interface Answer {
  /** 200 to 299. */
  readonly status: number;
  /** Quote it to support; null when a proxy removed it. */
  readonly requestId: string | null;
  /** True when this is the repeated answer to an earlier request with the same `Idempotency-Key`. */
  readonly replayed: boolean;
  /** Rest of the limit that the request was counted against; null for none. */
  readonly rateLimit: RateLimit | null;
  /** Set when the operation will be removed; `sunset` is the day from which it may be gone, if the service says it. */
  readonly deprecation: { readonly since: Date; readonly sunset: Date | null } | null;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, also between attempts; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /**
   * Called for the call's successful answer, in a collection for each page's; if it throws, the call rejects with that
   * error.
   */
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
}

/** Options of a POST, and of a PUT that enrols. */
export interface PostOptions extends CallOptions {
  /**
   * Identifies the request for 24 hours: a repeated request has no further effect and gets the same answer. By default
   * each call generates one, so that its own retries are safe. Pass a stored one to make a retry after a crash safe
   * too.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The runtime functions that the client uses. */
export interface Platform {
  now(): number;
  /** 0 ≤ random < 1 */
  random(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  newIdempotencyKey(): string;
  /** Identifies this client and its runtime. */
  readonly userAgent: string;
}

export interface Call {
  /** Upper case. */
  readonly method: string;
  readonly path: Path;
  /** An object's members are sent as `name[key]=value`. */
  readonly query?: Readonly<Record<string, string | number | Readonly<Record<string, string>> | undefined>>;
  /** Sent as JSON; a form as it is. */
  readonly body?: object;
  /** Bears an `Idempotency-Key` without being a POST. */
  readonly keyed?: boolean | undefined;
  readonly accept?: string;
  readonly options?: PostOptions | undefined;
}

/** Sends requests, and retries them where that is safe. */
export interface Http {
  /** @throws SvcApiError, SvcConnectionError, or the signal's reason */
  json<T>(call: Call): Promise<T>;
  empty(call: Call): Promise<void>;
  /**
   * A body as a stream of unlimited duration; retried only until it begins. The iteration throws SvcConnectionError
   * when the connection breaks or no data arrives for `timeoutMs`, and the signal's reason when it is aborted.
   */
  stream(call: Call): Promise<AsyncIterable<Uint8Array>>;
  collection<T>(path: Path, query: PageRequest | undefined, options: CallOptions | undefined): Collection<T>;
}

/** A percent-encoded path, or an error about its parameters with which the call rejects. */
export type Path = string | TypeError;

/**
 * A path with its parameters percent-encoded.
 * @param path with parameter names in braces
 * @returns a TypeError for a parameter that a URL cannot carry: empty, `.`, `..` (clients remove these), a lone
 * surrogate
 */
export function pathOf(path: string, parameters: readonly unknown[]): Path {
  const isRight = (parameter: unknown): parameter is string =>
    typeof parameter === 'string' && !/^\.{0,2}$/.test(parameter) && isWellFormed(parameter);
  if (!parameters.every(isRight)) {
    return new TypeError('an identifier in the path is empty, a dot or not well-formed');
  }
  const rest = [...parameters];
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(rest.shift() ?? ''));
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

/** @throws TypeError that says what is wrong and repeats nothing of the URL, which may hold a password */
function readBaseUrl(baseUrl: string, allowHttp: boolean): string {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl must be a URL, such as https://eu.example.com');
  const url = new URL(baseUrl);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLocal || allowHttp))) {
    throw new TypeError('baseUrl must be https, or http on this machine or with allowHttp');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must not contain a user or a password: fetch accepts none in an address');
  }
  if (url.search !== '' || url.hash !== '') throw new TypeError('baseUrl must not contain a query or a fragment');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); null where the first is absent or unreadable. */
function readDeprecation(headers: Headers): Answer['deprecation'] {
  const [, seconds] = /^@(\d{1,11})$/.exec(headers.get('deprecation') ?? '') ?? [];
  if (seconds === undefined) return null;
  const sunset = new Date(headers.get('sunset') ?? '');
  return { since: new Date(Number(seconds) * 1000), sunset: Number.isNaN(sunset.getTime()) ? null : sunset };
}

function isProblem(value: unknown): value is ApiProblem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'requestId' in value &&
    typeof value.requestId === 'string'
  );
}

async function toError(response: Response, nowMs: number): Promise<SvcApiError | SvcConnectionError> {
  const isJson = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const body: unknown = isJson ? await response.json().catch(() => null) : null;
  if (!isJson) await response.body?.cancel().catch(() => undefined);
  const retryAfterMs = readRetryAfter(response.headers, nowMs);
  if (isProblem(body)) return new SvcApiError(body, retryAfterMs);
  return new SvcConnectionError('unrecognised-answer', { status: response.status, retryAfterMs });
}

/** @throws TypeError for an invalid URL or key */
export function createHttp(o: SvcClientOptions, platform: Platform): Http {
  const baseUrl = readBaseUrl(o.baseUrl, o.allowHttp === true);
  if (!/^svc[kt]_[0-9A-Za-z]+$/.test(o.apiKey))
    throw new TypeError('apiKey must be an API key, which starts with svck_ or svct_');
  const doFetch = o.fetch ?? globalThis.fetch;

  async function attempt<T>(
    call: Call,
    headers: Record<string, string>,
    body: string | FormData | null,
    read: (response: Response, patience: Patience) => Promise<T>,
  ): Promise<[T, Response]> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (typeof value === 'object') {
        for (const [key, each] of Object.entries(value)) query.set(`${name}[${key}]`, each);
      } else if (value !== undefined) query.set(name, String(value));
    }
    const url = `${baseUrl}${call.path}${query.size === 0 ? '' : `?${query.toString()}`}`;
    const patience = createPatience(call.options?.timeoutMs ?? o.timeoutMs ?? 60_000, call.options?.signal);
    try {
      const { signal } = patience;
      // A key must not follow a redirect to another host.
      const response = await doFetch(url, { method: call.method, headers, body, signal, redirect: 'error' });
      if (!response.ok) throw await toError(response, platform.now());
      return [await read(response, patience), response];
    } catch (error) {
      throw patience.explain(error);
    } finally {
      patience.pause();
    }
  }

  function tell(call: Call, { status, headers }: Response): void {
    if (o.onAnswer === undefined && call.options?.onAnswer === undefined) return;
    const answer: Answer = {
      status,
      requestId: headers.get('x-request-id'),
      replayed: headers.get('idempotent-replayed') === 'true',
      rateLimit: readRateLimit(headers),
      deprecation: readDeprecation(headers),
    };
    o.onAnswer?.(answer);
    call.options?.onAnswer?.(answer);
  }

  async function send<T>(call: Call, read: (response: Response, patience: Patience) => Promise<T>): Promise<T> {
    if (call.path instanceof TypeError) throw call.path;
    call.options?.signal?.throwIfAborted();
    const { body: given = null } = call;
    const body = given === null || given instanceof FormData ? given : JSON.stringify(given);
    const headers: Record<string, string> = {
      Accept: call.accept ?? 'application/json',
      'User-Agent': platform.userAgent,
      'X-Api-Key': o.apiKey,
    };
    // A form's boundary is part of its type, which `fetch` writes.
    if (typeof body === 'string') headers['Content-Type'] = 'application/json';
    // All attempts have the same key, so that the service carries the request out once.
    if (call.method === 'POST' || call.keyed === true)
      headers['Idempotency-Key'] = call.options?.idempotencyKey ?? platform.newIdempotencyKey();
    const maxRetries = call.options?.maxRetries ?? o.maxRetries ?? 3;
    let answered: [T, Response];
    for (let tries = 0; ; tries += 1) {
      try {
        answered = await attempt(call, headers, body, read);
        break;
      } catch (error) {
        const known = error instanceof SvcApiError || error instanceof SvcConnectionError ? error : null;
        if (known === null || !known.retryable || tries >= maxRetries) throw error;
        const delayMs = retryDelayMs(tries, known.retryAfterMs, platform.random());
        if (delayMs === null) throw error;
        await platform.sleep(delayMs, call.options?.signal);
      }
    }
    const [value, response] = answered;
    tell(call, response);
    return value;
  }

  const json = <T>(call: Call): Promise<T> =>
    send(call, async (response) => {
      const text = await response.text();
      try {
        return JSON.parse(text) as T;
      } catch {
        throw new SvcConnectionError('unrecognised-answer', { status: response.status });
      }
    });

  return {
    json,
    empty: (call) => send(call, async (response) => response.body?.cancel()),
    stream: (call) =>
      send(call, async (response, patience) => {
        if (response.body !== null) return chunksOf(response.body, patience);
        throw new SvcConnectionError('unrecognised-answer', { status: response.status });
      }),
    collection<T>(path: Path, query: PageRequest = {}, options: CallOptions = {}) {
      const { cursor: start, ...rest } = query;
      const page = (cursor: string | undefined) =>
        json<Page<T>>({ method: 'GET', path, query: { ...rest, cursor }, options });
      return new Collection<T>(page, start);
    },
  };
}

/** This package's version, as in its package.json. */
const version = '0.2.0';
/** Runtime name, from `navigator`; Node 20 has none. */
const runtime: { readonly navigator?: { readonly userAgent?: string } } = globalThis as object;
const userAgent = runtime.navigator?.userAgent ?? `Node.js/${process.versions.node}`;

/** The platform of Node and of any runtime with web globals. */
export const systemPlatform: Platform = {
  now: () => Date.now(),
  random: () => Math.random(),
  userAgent: `svc-server-sdk/${version} ${userAgent}`,
  newIdempotencyKey: () => crypto.randomUUID(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
