import { Listeners, newUuid } from '@svc/page-kit';
import { hashKey, QueryClient } from '@tanstack/react-query';
import { ApiError, hasCode, toApiError } from './errors.ts';
import { forgetKept, keepFor } from './kept.ts';
import {
  type AnswerOf,
  endpoints,
  type Given,
  type InputOf,
  type OperationId,
  pathOf,
  readKey,
  type Session,
} from './operations.ts';

/** What the page has read. A lost connection is tried again; the client has waited for 429 and 503 by itself. */
export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && hasCode(error, 'no-connection'),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});

export const SESSION_KEY = readKey('getSession');

/** Null when nobody is signed in. */
export const currentSession = (): Session | null => cache.getQueryData<Session | null>(SESSION_KEY) ?? null;

/** Stores the session that an operation answered; null when it has ended. */
export function storeSession(session: Session | null): void {
  if (session === null) void forgetKept('session');
  cache.setQueryData(SESSION_KEY, session);
}

// What one person has read is not shown to the next one in the same tab, nor what they have kept in this browser.
let person: string | null = null;
cache.getQueryCache().subscribe(({ query }) => {
  if (query.queryHash !== hashKey(SESSION_KEY)) return;
  const userId = currentSession()?.user.userId ?? null;
  if (userId === null || userId === person) return;
  if (person !== null) cache.removeQueries({ predicate: (other) => other.queryHash !== query.queryHash });
  person = userId;
  keepFor(userId);
});

const csrfToken = () => currentSession()?.csrfToken ?? null;

/** Calls that wait until the person has confirmed who they are. */
let waiting: ((isConfirmed: boolean) => void)[] = [];
const changed = new Listeners<void>();

function wait(calls: typeof waiting): void {
  waiting = calls;
  changed.tell();
}

/** Whether the person is asked to confirm who they are, for the dialog that asks; calls at the same time share it. */
export const confirmation = {
  isAsked: () => waiting.length > 0,
  watch: (watcher: () => void) => changed.add(watcher),
  answer(isConfirmed: boolean) {
    const asked = waiting;
    wait([]);
    for (const resolve of asked) resolve(isConfirmed);
  },
};

interface CallOptions {
  readonly signal: AbortSignal | undefined;
  /** Of a POST that a former page began; default: a new one. */
  readonly idempotencyKey: string | undefined;
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
  return method === 'get' || method === 'post';
}

async function send(id: OperationId, input: Untyped, key: string | undefined): Promise<unknown> {
  const method = endpoints[id].method.toUpperCase();
  const address = addressOf(id, input);
  const headers: Record<string, string> = { Accept: 'application/json' };
  const token = csrfToken();
  if (method !== 'GET' && token !== null) headers['X-Csrf-Token'] = token;
  if (key !== undefined) headers['Idempotency-Key'] = key;
  const form = input.body instanceof FormData ? input.body : null;
  const isJson = endpoints[id].takes === 'body' && form === null;
  if (isJson) headers['Content-Type'] = 'application/json';
  const body = isJson ? JSON.stringify(input.body ?? {}) : form;
  let response: Response;
  try {
    const signal = input.signal ?? null;
    const o = { method, headers, body, signal, redirect: 'error', cache: 'no-store' } as const;
    response = await fetch(address, o);
  } catch (cause) {
    input.signal?.throwIfAborted();
    if (cause instanceof TypeError) throw new ApiError('no-connection', { status: 0, cause });
    throw cause;
  }
  if (!response.ok) throw await toApiError(response);
  return readAnswer(response);
}

/** @throws the signal's reason when it is aborted */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** What one person began is never carried out as another one, who has signed in meanwhile. */
const whoIsSignedIn = () => currentSession()?.user.userId;

async function sendPatiently(id: OperationId, input: Untyped, key: string | undefined): Promise<unknown> {
  const caller = whoIsSignedIn();
  for (let tries = 0; ; tries += 1) {
    try {
      return await send(id, input, key);
    } catch (error) {
      if (!(error instanceof ApiError) || tries >= MAX_RETRIES || !isRepeatable(endpoints[id].method, error))
        throw error;
      const waitMs = error.o.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tries;
      if (waitMs > MAX_WAIT_MS) throw error;
      await sleep(waitMs, input.signal);
      if (caller !== undefined && whoIsSignedIn() !== caller) throw error;
    }
  }
}

/** Mends what a call was refused for. @returns whether it may be sent again */
async function mend(id: OperationId, error: ApiError): Promise<boolean> {
  if (error.code === 'reauthentication-required') return new Promise((resolve) => wait([...waiting, resolve]));
  if (error.code !== 'csrf-token-invalid' && error.o.status !== 401) return false;
  const former = csrfToken();
  if (id === 'getSession') {
    if (former !== null) storeSession(null);
    // It ended while no page was open.
    else void forgetKept('session');
  } else if (former !== null) {
    // Another tab may have renewed the session.
    await call('getSession').then(
      (session) => storeSession(session as Session),
      () => undefined,
    );
  }
  return csrfToken() !== null && csrfToken() !== former;
}

async function call(id: OperationId, input: Untyped = {}): Promise<unknown> {
  const isPost = endpoints[id].method === 'post';
  // All attempts have the same key, so that the service carries the call out once.
  const key = isPost ? (input.idempotencyKey ?? newUuid()) : undefined;
  const caller = whoIsSignedIn();
  const mended: string[] = [];
  for (;;) {
    try {
      return await sendPatiently(id, input, key);
    } catch (error) {
      if (!(error instanceof ApiError) || mended.includes(error.code)) throw error;
      mended.push(error.code);
      if (!(await mend(id, error)) || whoIsSignedIn() !== caller) throw error;
    }
  }
}

/** The client of the page: the session's cookie goes with every call, its token with every change. */
export const api = {
  /**
   * Calls an operation of the service by its name.
   * @throws ApiError, or the signal's reason
   */
  call: call as <Id extends OperationId>(id: Id, ...given: Given<InputOf<Id>, CallOptions>) => Promise<AnswerOf<Id>>,
};

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
