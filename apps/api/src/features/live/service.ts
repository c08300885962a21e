import { createHash } from 'node:crypto';
import { type ApiKeyScope, type LiveChange, type LiveTopic, liveTopicScopes } from '@svc/protocol';
import { ServiceError } from '../../platform/errors.ts';
import type { LiveMark, LiveStore } from './store.ts';

/** An event of a stream. `id` names the state of what the watcher may read, after the event, on every node. */
export type LiveEvent =
  | { readonly type: 'ready' | 'missed'; readonly id: string }
  /** With an id on the last of several. */
  | { readonly type: 'changed'; readonly change: LiveChange; readonly id: string | null };

export interface LiveWatcher {
  readonly accountId: string;
  /** What the caller may read; null: everything. */
  readonly scopes: readonly ApiKeyScope[] | null;
  /** Id of the last event that the caller received earlier; null for none. */
  readonly lastEventId: string | null;
  readonly tell: (events: readonly LiveEvent[]) => void;
  /** Called when the service stops. */
  readonly end: () => void;
}

export type LiveService = ReturnType<typeof createLiveService>;

const POLL_MS = 2_000;
/** A slow statement is repeated less often: at most a tenth of one connection's time. */
const PAUSE_PER_DURATION = 10;
const PAUSE_AFTER_ERROR_MS = 10_000;
const MAX_PER_ACCOUNT = 50;
const MAX_PER_NODE = 2_000;
const RETRY_SECONDS = 30;

/** `topic subject` → mark. */
type State = ReadonlyMap<string, LiveMark>;

const SUBJECT_NAMES = {
  people: 'listId',
  doors: 'listId',
  guests: 'eventId',
  mailings: 'eventId',
  webhooks: 'webhookId',
} as const satisfies Readonly<Record<LiveTopic, string>>;

const changeOf = ({ topic, subject }: LiveMark) =>
  ({ topic, [SUBJECT_NAMES[topic]]: subject }) as unknown as LiveChange;

/** Names a state: equal on every node that reads the same. */
function idOf(state: State): string {
  const lines = [...state].map(([name, { mark }]) => `${name} ${mark}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 22);
}

/** What differs, removed subjects included. */
function changesBetween(before: State, after: State): LiveChange[] {
  const changed = [...after].filter(([name, { mark }]) => before.get(name)?.mark !== mark);
  const removed = [...before].filter(([name]) => !after.has(name));
  return [...changed, ...removed].map(([, mark]) => changeOf(mark));
}

/** What of an account's state a caller with these scopes may know of. */
const visible = (state: State, scopes: LiveWatcher['scopes']): State =>
  scopes === null ? state : new Map([...state].filter(([, { topic }]) => scopes.includes(liveTopicScopes[topic])));

interface Watching extends LiveWatcher {
  seen: State | null;
}

/**
 * Reads the marks of each watched account in one statement every two seconds, while there is a watcher. PostgreSQL's
 * LISTEN would need a session of its own, which a transaction pooler does not give; marks need nothing from those who
 * write, and see jobs, other nodes and the command line too.
 */
export function createLiveService(o: {
  readonly store: LiveStore;
  readonly database: { isSaturated(): boolean };
  readonly onError: (error: unknown) => void;
}) {
  const watched = new Map<string, Set<Watching>>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  let polling: Promise<void> | null = null;
  let closed = false;

  function tellOne(watcher: Watching, whole: State): void {
    const { seen, lastEventId } = watcher;
    const state = visible(whole, watcher.scopes);
    watcher.seen = state;
    if (seen === null) {
      const id = idOf(state);
      watcher.tell([{ type: lastEventId === null || lastEventId === id ? 'ready' : 'missed', id }]);
      return;
    }
    const changes = changesBetween(seen, state);
    if (changes.length === 0) return;
    const id = idOf(state);
    watcher.tell(changes.map((change, i) => ({ type: 'changed', change, id: i === changes.length - 1 ? id : null })));
  }

  async function look(): Promise<number> {
    if (o.database.isSaturated()) return PAUSE_AFTER_ERROR_MS;
    const accountIds = [...watched.keys()];
    const startedAt = performance.now();
    const marks = await o.store.marks(accountIds);
    const tookMs = performance.now() - startedAt;
    const states = new Map(accountIds.map((accountId) => [accountId, new Map<string, LiveMark>()]));
    for (const mark of marks) states.get(mark.accountId)?.set(`${mark.topic} ${mark.subject}`, mark);
    for (const [accountId, state] of states) {
      for (const watcher of watched.get(accountId) ?? []) tellOne(watcher, state);
    }
    return Math.max(POLL_MS, tookMs * PAUSE_PER_DURATION);
  }

  function schedule(ms: number): void {
    if (closed || timer !== null || watched.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      polling = look()
        .catch((error: unknown) => {
          o.onError(error);
          return PAUSE_AFTER_ERROR_MS;
        })
        .then((pauseMs) => {
          polling = null;
          schedule(pauseMs);
        });
    }, ms);
    timer.unref();
  }

  function forget(watcher: Watching): void {
    const own = watched.get(watcher.accountId);
    if (own?.delete(watcher) !== true) return;
    count -= 1;
    if (own.size === 0) watched.delete(watcher.accountId);
    if (watched.size > 0 || timer === null) return;
    clearTimeout(timer);
    timer = null;
  }

  return {
    /**
     * Tells a watcher what changes in its account from now on.
     * @returns stops it
     * @throws ServiceError 'rate-limited' for too many watchers of the account or the node, 'not-ready' after `close`
     */
    watch(watcher: LiveWatcher): () => void {
      if (closed) throw new ServiceError('not-ready');
      const own = watched.get(watcher.accountId) ?? new Set();
      if (own.size >= MAX_PER_ACCOUNT || count >= MAX_PER_NODE) {
        throw new ServiceError('rate-limited', {
          detail: 'There are too many open streams.',
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      const watching: Watching = { ...watcher, seen: null };
      watched.set(watcher.accountId, own.add(watching));
      count += 1;
      if (polling === null) schedule(0);
      return () => forget(watching);
    },
    /** Ends all watchers. */
    async close(): Promise<void> {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      for (const own of [...watched.values()]) for (const watcher of [...own]) watcher.end();
      watched.clear();
      await polling;
    },
  };
}
