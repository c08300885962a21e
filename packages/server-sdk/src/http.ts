import { type ApiProblem, SvcApiError, SvcConnectionError } from './errors.ts';
import { Collection, type Page, type PageRequest } from './pages.ts';
import { chunksOf, createPatience, type Patience } from './patience.ts';
import { type RateLimit, readRateLimit } from './rate-limit.ts';
import { readRetryAfter, retryDelayMs } from './retry.ts';

/** How to reach the service, and with what patience. */
export interface SvcClientOptions {
  /**
   * Address of the account's region, for example `https://eu.example.com`; https but on this machine or with
   * `allowHttp`.
   */
  readonly baseUrl: string;
  /** Lets `baseUrl` be http to any host: for a name inside a network that is trusted with the key and with photos. */
  readonly allowHttp?: boolean;
  /** `svck_…`; stays on the server. */
  readonly apiKey: string;
  /** Attempts after the first that may be made; default 3. */
  readonly maxRetries?: number;
  /** For each attempt, and in an export for each wait for more of it; default 60,000. */
  readonly timeoutMs?: number;
  /** Told of every answer that succeeded, before the call resolves; see {@link CallOptions.onAnswer}. */
  readonly onAnswer?: (answer: Answer) => void;
  /** In the place of the global one, for example with a proxy. */
  readonly fetch?: typeof fetch;
}

/** What surrounds the body of an answer that succeeded. */
export interface Answer {
  /** 200 to 299. */
  readonly status: number;
  /** To quote when you ask; null where somebody in between took it away. */
  readonly requestId: string | null;
  /** True where an earlier request with the same `Idempotency-Key` did the work, and this one nothing. */
  readonly replayed: boolean;
  /** What is left of the limit that the request was counted against; null where it was counted against none. */
  readonly rateLimit: RateLimit | null;
}

/** For one call. */
export interface CallOptions {
  /** Ends the call, waits between attempts included; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /**
   * Told of the call's answer where it succeeded, of each page's in a collection; what it throws, the call rejects
   * with.
   */
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
}

/** For one POST. */
export interface PostOptions extends CallOptions {
  /**
   * Names the request for 24 hours: repeats have no further effect and get the same answer. Without it each call makes
   * one of its own, so that its own retries are safe; give one that you have stored to make a retry after a crash safe
   * too.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What the client needs of its surroundings. */
export interface Platform {
  now(): number;
  /** 0 ≤ random < 1 */
  random(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  newIdempotencyKey(): string;
  /** Names this client and its runtime. */
  readonly userAgent: string;
}

export interface Call {
  /** In upper case. */
  readonly method: string;
  readonly path: Path;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly accept?: string;
  readonly options?: PostOptions | undefined;
}

/** One request of the API, retried where that is safe. */
export interface Http {
  /** @throws SvcApiError, SvcConnectionError, or the signal's reason */
  json<T>(call: Call): Promise<T>;
  empty(call: Call): Promise<void>;
  /**
   * A body that is read as it comes, however long that takes; retried only until it begins. Its chunks end with a
   * SvcConnectionError where the connection breaks or nothing comes for `timeoutMs`, with the signal's reason where it
   * is aborted.
   */
  stream(call: Call): Promise<AsyncIterable<Uint8Array>>;
  collection<T>(path: Path, query: PageRequest | undefined, options: CallOptions | undefined): Collection<T>;
}

/**
 * A percent-encoded path, or what is wrong with its parameters: the call rejects with it, as with everything else that
 * goes wrong.
 */
export type Path = string | TypeError;

/**
 * A path with its parameters percent-encoded.
 * @param path with the parameters' names in braces
 * @returns a TypeError for a parameter that an address cannot carry: empty, `.`, `..` (clients fold these away), a lone
 *   surrogate
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

function readBaseUrl(baseUrl: string, allowHttp: boolean): string {
  const url = new URL(baseUrl);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLocal || allowHttp))) {
    throw new TypeError('baseUrl must be https, or http on this machine or with allowHttp');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
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
  if (!isProblem(body)) return new SvcConnectionError('unrecognised-answer', { status: response.status });
  return new SvcApiError(body, readRetryAfter(response.headers.get('retry-after'), nowMs));
}

/** @throws TypeError for an address or a key that cannot be right */
export function createHttp(o: SvcClientOptions, platform: Platform): Http {
  const baseUrl = readBaseUrl(o.baseUrl, o.allowHttp === true);
  if (!/^svck_[0-9A-Za-z]+$/.test(o.apiKey)) throw new TypeError('apiKey must be an API key, which starts with svck_');
  const doFetch = o.fetch ?? globalThis.fetch;

  async function attempt<T>(
    call: Call,
    headers: Record<string, string>,
    body: string | null,
    read: (response: Response, patience: Patience) => Promise<T>,
  ): Promise<[T, Response]> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const url = `${baseUrl}${call.path}${query.size === 0 ? '' : `?${query.toString()}`}`;
    const patience = createPatience(call.options?.timeoutMs ?? o.timeoutMs ?? 60_000, call.options?.signal);
    try {
      const { signal } = patience;
      // A key must not follow a redirection to somebody else.
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
    };
    o.onAnswer?.(answer);
    call.options?.onAnswer?.(answer);
  }

  async function send<T>(call: Call, read: (response: Response, patience: Patience) => Promise<T>): Promise<T> {
    if (call.path instanceof TypeError) throw call.path;
    call.options?.signal?.throwIfAborted();
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    const headers: Record<string, string> = {
      Accept: call.accept ?? 'application/json',
      'User-Agent': platform.userAgent,
      'X-Api-Key': o.apiKey,
    };
    if (body !== null) headers['Content-Type'] = 'application/json';
    // Every retry of a POST bears the same key: the service carries it out once.
    if (call.method === 'POST')
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
        const asked = known instanceof SvcApiError ? known.retryAfterMs : null;
        const delayMs = retryDelayMs(tries, asked, platform.random());
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
