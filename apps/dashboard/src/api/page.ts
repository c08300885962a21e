import { hashKey, QueryClient } from '@tanstack/react-query';
import { createApi } from './client.ts';
import { hasCode } from './errors.ts';
import { readKey, type Session } from './operations.ts';

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
export const storeSession = (session: Session | null): unknown => cache.setQueryData(SESSION_KEY, session);

// What one person has read is not shown to the next one in the same tab.
let person: string | null = null;
cache.getQueryCache().subscribe(({ query }) => {
  if (query.queryHash !== hashKey(SESSION_KEY)) return;
  const userId = currentSession()?.user.userId ?? null;
  if (userId === null || userId === person) return;
  if (person !== null) cache.removeQueries({ predicate: (other) => other.queryHash !== query.queryHash });
  person = userId;
});

/** Calls that wait until the person has confirmed who they are. */
let waiting: ((isConfirmed: boolean) => void)[] = [];
const watchers = new Set<() => void>();

function wait(calls: typeof waiting): void {
  waiting = calls;
  for (const watcher of watchers) watcher();
}

/** Whether the person is asked to confirm who they are, for the dialog that asks; calls at the same time share it. */
export const confirmation = {
  isAsked: () => waiting.length > 0,
  watch(watcher: () => void) {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  answer(isConfirmed: boolean) {
    const asked = waiting;
    wait([]);
    for (const resolve of asked) resolve(isConfirmed);
  },
};

/** The client of the page. */
export const api = createApi({
  fetch: (...given) => fetch(...given),
  csrfToken: () => currentSession()?.csrfToken ?? null,
  renewSession: () => cache.invalidateQueries({ queryKey: SESSION_KEY }),
  reauthenticate: () => new Promise((resolve) => wait([...waiting, resolve])),
  onSignedOut: () => storeSession(null),
  newIdempotencyKey: () => crypto.randomUUID(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});
