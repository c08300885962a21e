import type { ApiKeyScope } from '@svc/protocol/endpoints';
import {
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
} from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useId, useMemo, useRef, useState } from 'react';
import { api, cache } from './client.ts';
import {
  type AnswerOf,
  type CollectionId,
  endpoints,
  type InputOf,
  type ItemOf,
  type OperationId,
  readKey,
  resourceOf,
  type Session,
} from './operations.ts';

/** The client with its input untyped: the hooks below have checked it. */
const anyCall = api.call as (id: OperationId, input: object) => Promise<unknown>;

export interface ReadOptions {
  /** False: not yet. Default true. */
  readonly enabled?: boolean;
  /** Reads again this often while the page is shown. */
  readonly everyMs?: number;
  /** How long an answer counts as fresh. Default: 15 s. */
  readonly staleMs?: number;
}

const STALE_MS = 15_000;

/** Reads a resource and keeps it current: `useRead('getEvent', { params: { eventId } })`. */
export function useRead<Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  options?: ReadOptions,
): UseQueryResult<AnswerOf<Id>, Error> {
  return useQuery<AnswerOf<Id>, Error>(readOf(id, input, options));
}

/** As {@link useRead}, of several inputs. @returns what has been read, in their order */
export function useReads<Id extends OperationId>(
  id: Id,
  inputs: readonly InputOf<Id>[],
  options?: ReadOptions,
): readonly (AnswerOf<Id> | undefined)[] {
  const reads = useQueries({ queries: inputs.map((input) => readOf(id, input, options)) });
  return reads.map(({ data }) => data);
}

function readOf<Id extends OperationId>(
  id: Id,
  input: InputOf<Id> | undefined,
  { enabled = true, everyMs, staleMs = STALE_MS }: ReadOptions = {},
) {
  return {
    queryKey: readKey(id, input),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      anyCall(id, { ...input, signal }) as Promise<AnswerOf<Id>>,
    ...{ enabled, staleTime: staleMs, refetchInterval: everyMs ?? (false as const) },
  };
}

export interface Pages<Item> {
  /** Of all pages that were fetched. */
  readonly items: readonly Item[];
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** How a collection is read page by page. */
export function inPages<Id extends CollectionId>(id: Id, input?: InputOf<Id>) {
  type Page = { readonly items: readonly ItemOf<Id>[]; readonly nextCursor: string | null };
  const given = (input ?? {}) as { readonly query?: object };
  return {
    queryFn: ({ signal, pageParam }: { readonly signal: AbortSignal; readonly pageParam: string | undefined }) =>
      anyCall(id, { ...given, query: { ...given.query, cursor: pageParam }, signal }) as Promise<Page>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.nextCursor ?? undefined,
    // Else all pages are compared with each new one, which takes half a second at 100,000 people.
    structuralSharing: false,
  };
}

/** Reads a collection page by page: `items` grows with `query.fetchNextPage()`. */
export function usePages<Id extends CollectionId>(id: Id, input?: InputOf<Id>): Pages<ItemOf<Id>> {
  const query = useInfiniteQuery({
    ...inPages(id, input),
    queryKey: [...readKey(id, input), 'pages'],
    staleTime: STALE_MS,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return { items, query };
}

/** A change that is shown: of {@link useAct}, or a mutation of the query library. */
export type Act = Pick<UseMutationResult, 'isPending' | 'error'>;

export interface ActOptions<Answer> {
  /** Resources beside the operation's own that it changes: first parts of their paths, such as `events`. */
  readonly alsoChanges?: readonly string[];
  /** What it answers is awaited before what is shown is read again: the page may be left for another. */
  readonly onSuccess?: (answer: Answer) => unknown;
  readonly onError?: (error: Error) => void;
}

/** What is not asked again while it runs: it creates, carries out or removes. */
const AT_ONCE_ONLY = new Set(['post', 'delete']);

/**
 * A change: `const close = useAct('closeEnrollment')`, then `close.mutate({ params: { listId } })`. What is shown of the
 * operation's resource is read again afterwards. A POST or DELETE that is asked again with the same input, by the same
 * button or form, while it runs is not sent: a second press may come before the page shows that the first is under way.
 */
export function useAct<Id extends OperationId>(
  id: Id,
  { alsoChanges = [], onSuccess, onError }: ActOptions<AnswerOf<Id>> = {},
): UseMutationResult<AnswerOf<Id>, Error, InputOf<Id>> {
  const asker = useId();
  const mutation = useMutation<AnswerOf<Id>, Error, InputOf<Id>>({
    mutationKey: [id, asker],
    mutationFn: (input) => anyCall(id, input as object) as Promise<AnswerOf<Id>>,
    // An answer may hold a secret that is shown once: it is forgotten with the page that asked.
    gcTime: 0,
    ...(onError === undefined ? {} : { onError }),
    onSuccess: async (answer) => {
      await onSuccess?.(answer);
      const changed = [resourceOf(id), ...alsoChanges];
      await Promise.all(changed.map((resource) => cache.invalidateQueries({ queryKey: [resource] })));
    },
  });
  const { mutate: send } = mutation;
  const mutate = useCallback<typeof send>(
    (...args) => {
      if (!AT_ONCE_ONLY.has(endpoints[id].method) || !isRunning([id, asker], args[0])) send(...args);
    },
    [id, asker, send],
  );
  return { ...mutation, mutate };
}

const isRunning = (mutationKey: readonly string[], input: unknown): boolean =>
  cache
    .getMutationCache()
    .findAll({ mutationKey, exact: true, status: 'pending' })
    .some(({ state }) => JSON.stringify(state.variables) === JSON.stringify(input));

/** A change that is more than one call of the service. It is tried also where the browser believes to be offline. */
export const useTask = <Answer, Input = void>(
  mutationFn: (input: Input) => Promise<Answer>,
  onSuccess: (answer: Answer) => unknown = () => {},
): UseMutationResult<Answer, Error, Input> => useMutation({ mutationFn, onSuccess, gcTime: 0, networkMode: 'always' });

export type Work<Result> =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly done: number }
  | { readonly name: 'done'; readonly result: Result }
  | { readonly name: 'failed'; readonly error: unknown };

/** A hook: work that tells how far it is, and stops when it is cancelled, begun again, or its page is left. */
export function useWork<Result, Input = void>(
  work: (input: Input, signal: AbortSignal, onProgress: (done: number) => void) => Promise<Result>,
) {
  const [state, setState] = useState<Work<Result>>({ name: 'idle' });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  function start(input: Input): void {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const show = (next: Work<Result>) => {
      if (!signal.aborted) setState(next);
    };
    show({ name: 'running', done: 0 });
    work(input, signal, (done) => show({ name: 'running', done })).then(
      (result) => show({ name: 'done', result }),
      (error: unknown) => show({ name: 'failed', error }),
    );
  }
  const cancel = () => {
    running.current?.abort();
    setState({ name: 'idle' });
  };
  return { state, start, cancel };
}

/** A right that a page or an act needs; null for none. */
export type Right = ApiKeyScope | null;

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** The signed-in person, their account, and what the deployment offers. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/** Whether the signed-in person has a right: `can('people:write')`. */
export function useCan(): (scope: Right) => boolean {
  const { scopes } = useSession();
  return (scope) => scope === null || scopes.includes(scope);
}
