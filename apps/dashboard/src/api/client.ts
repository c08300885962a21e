import { ApiError, hasCode, toApiError } from './errors.ts';
import { type AnswerOf, endpoints, type Given, type InputOf, type OperationId, pathOf } from './operations.ts';

/** What the client needs of the page around it. */
export interface ApiHost {
  readonly fetch: typeof fetch;
  /** Of the session; null before somebody has signed in. */
  readonly csrfToken: () => string | null;
  /** Reads the session again, for a call that was refused because of its token. */
  readonly renewSession: () => Promise<void>;
  /** Asks the person to confirm who they are. @returns false if they do not want to */
  readonly reauthenticate: () => Promise<boolean>;
  /** Called when the session has ended. */
  readonly onSignedOut: () => void;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly newIdempotencyKey: () => string;
}

export interface CallOptions {
  readonly signal: AbortSignal | undefined;
  /** Of a POST that a former page began; default: a new one. */
  readonly idempotencyKey: string | undefined;
}

export interface Api {
  /**
   * Calls an operation of the service by its name.
   * @throws ApiError, or the signal's reason
   */
  call<Id extends OperationId>(id: Id, ...given: Given<InputOf<Id>, CallOptions>): Promise<AnswerOf<Id>>;
}

/** Longer waits are the caller's matter. */
const MAX_WAIT_MS = 30_000;
const MAX_RETRIES = 3;
const FIRST_WAIT_MS = 500;

interface Untyped extends Partial<CallOptions> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function addressOf(id: OperationId, { params, query = {} }: Untyped): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return pathOf(id, params) + (search.size === 0 ? '' : `?${search}`);
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 202) return undefined;
  try {
    return await response.json();
  } catch (cause) {
    throw new ApiError('unrecognised-answer', { status: response.status, cause });
  }
}

/** Whether a call that failed may be sent again: its effect cannot happen twice. */
function isRepeatable(method: string, error: ApiError): boolean {
  if (!error.isTemporary) return false;
  // These were refused before anything was done.
  if (error.o.status === 429 || error.o.status === 503) return true;
  return method === 'GET' || method === 'POST';
}

/** The client of the dashboard: the session's cookie goes with every call, its token with every change. */
export function createApi(host: ApiHost): Api {
  async function send(id: OperationId, input: Untyped, key: string | undefined): Promise<unknown> {
    const method = endpoints[id].method.toUpperCase();
    const address = addressOf(id, input);
    const headers: Record<string, string> = { Accept: 'application/json' };
    const token = host.csrfToken();
    if (method !== 'GET' && token !== null) headers['X-Csrf-Token'] = token;
    if (key !== undefined) headers['Idempotency-Key'] = key;
    const takesBody = endpoints[id].takes === 'body';
    if (takesBody) headers['Content-Type'] = 'application/json';
    const body = takesBody ? JSON.stringify(input.body ?? {}) : null;
    let response: Response;
    try {
      const signal = input.signal ?? null;
      response = await host.fetch(address, { method, headers, body, signal, redirect: 'error', cache: 'no-store' });
    } catch (cause) {
      input.signal?.throwIfAborted();
      if (cause instanceof TypeError) throw new ApiError('no-connection', { status: 0, cause });
      throw cause;
    }
    if (!response.ok) throw await toApiError(response);
    return readAnswer(response);
  }

  async function sendPatiently(id: OperationId, input: Untyped, key: string | undefined): Promise<unknown> {
    const method = endpoints[id].method.toUpperCase();
    for (let tries = 0; ; tries += 1) {
      try {
        return await send(id, input, key);
      } catch (error) {
        if (!(error instanceof ApiError) || tries >= MAX_RETRIES || !isRepeatable(method, error)) throw error;
        const waitMs = error.o.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tries;
        if (waitMs > MAX_WAIT_MS) throw error;
        await host.sleep(waitMs, input.signal);
      }
    }
  }

  async function call(id: OperationId, input: Untyped = {}): Promise<unknown> {
    const isPost = endpoints[id].method === 'post';
    // All attempts have the same key, so that the service carries the call out once.
    const key = isPost ? (input.idempotencyKey ?? host.newIdempotencyKey()) : undefined;
    try {
      return await sendPatiently(id, input, key);
    } catch (error) {
      if (hasCode(error, 'reauthentication-required')) {
        if (!(await host.reauthenticate())) throw error;
        return sendPatiently(id, input, key);
      }
      // Another tab has renewed the session.
      if (hasCode(error, 'csrf-token-invalid')) {
        await host.renewSession();
        return sendPatiently(id, input, key);
      }
      if (error instanceof ApiError && error.o.status === 401 && host.csrfToken() !== null) host.onSignedOut();
      throw error;
    }
  }

  return { call: call as Api['call'] };
}

/** The consent ledger of a list, or of all, as the service sends it: NDJSON. @throws ApiError, or the signal's reason */
export async function fetchLedger(
  listId: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = listId === undefined ? '' : `?listId=${encodeURIComponent(listId)}`;
  const headers = { Accept: 'application/x-ndjson' };
  const response = await fetch(`/v1/consents${query}`, { headers, cache: 'no-store', redirect: 'error', signal });
  if (!response.ok || response.body === null) throw await toApiError(response);
  return response.body;
}
