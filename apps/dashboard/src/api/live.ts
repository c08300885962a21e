import { attempt } from '@svc/page-kit';
import type { LiveChange, LiveTopic } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import type { Query } from '@tanstack/react-query';
import { cache } from './client.ts';
import { endpoints, type OperationId } from './operations.ts';

/** Without a stream everything that is shown is read again this often. */
export const POLL_MS = 15_000;
/** What is shown is read again at most this often. */
export const PAUSE_MS = 3_000;
/** A hidden page gives its connection back: a browser has few for one service. */
const HIDDEN_MS = 30_000;
const RETRY_MS = { first: 5_000, most: 120_000 };

/** Parts of the paths whose answers a topic changes; lists and events tell counts of what is in them. */
const PATHS: Readonly<Record<LiveTopic, RegExp>> = {
  people: /\/(people|guests)|^\/v1\/(lists|events)(\/\{\w+\})?$|\/usage$/,
  doors: /\/(devices|arrivals)|^\/v1\/(lists|events)(\/\{\w+\})?$/,
  guests: /\/(enrolment-tokens|guests)|^\/v1\/events(\/\{\w+\})?$/,
  mailings: /\/mailings|\/enrolment-tokens/,
  webhooks: /\/webhooks/,
};

/** A list, event or webhook in which something of a topic has changed; without one: anything of the topic. */
type Change = LiveChange | { readonly topic: LiveTopic };

const ANYTHING = (Object.keys(PATHS) as LiveTopic[]).map((topic): Change => ({ topic }));

/** Whether what a query has read may be another by now. */
export function isChangedBy({ queryKey }: Pick<Query, 'queryKey'>, { topic, ...named }: Change): boolean {
  const [, id, input] = queryKey as readonly [string, OperationId, { readonly params?: Record<string, string> }?];
  const path = endpoints[id]?.path;
  if (path === undefined || !PATHS[topic].test(path)) return false;
  const [subject] = Object.values(named);
  const params = Object.values(input?.params ?? {});
  // An event's page shows its list, and the other way round: only another resource of the same kind is left alone.
  const isOfKind = (param: string) => param.slice(0, 4) === subject?.slice(0, 4);
  return subject === undefined || params.includes(subject) || !params.some(isOfKind) || path.endsWith('}');
}

/**
 * Reads again what is shown when the service tells that it has changed: by one stream of changes for the page, and while
 * there is none by polling.
 * @returns ends it
 */
export function followChanges(): () => void {
  let source: EventSource | null = null;
  let retries = 0;
  let poll: ReturnType<typeof setInterval> | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const told: Change[] = [];

  function readAgain(): void {
    const changes = told.splice(0);
    pause = changes.length === 0 ? undefined : setTimeout(readAgain, PAUSE_MS);
    if (changes.length === 0) return;
    void cache.invalidateQueries({ predicate: (query) => changes.some((change) => isChangedBy(query, change)) });
  }

  function tell(changes: readonly Change[]): void {
    told.push(...changes);
    if (pause === undefined) readAgain();
  }

  function after(ms: number, act: () => void): void {
    clearTimeout(later);
    later = setTimeout(act, ms);
  }

  function startPolling(): void {
    poll ??= setInterval(() => document.visibilityState === 'visible' && tell(ANYTHING), POLL_MS);
  }

  function stopPolling(): void {
    clearInterval(poll);
    poll = undefined;
  }

  function open(): void {
    close();
    startPolling();
    const opened = attempt(() => new EventSource(otherEndpoints.streamChanges.path), null);
    if (opened === null) return;
    source = opened;
    // What is shown was read before a new stream. What a lost connection missed, the service tells.
    let mayHaveMissed = true;
    const ready = (isMissed: boolean) => {
      retries = 0;
      stopPolling();
      if (isMissed || mayHaveMissed) tell(ANYTHING);
      mayHaveMissed = false;
    };
    opened.addEventListener('ready', () => ready(false));
    opened.addEventListener('missed', () => ready(true));
    opened.addEventListener('changed', ({ data }) => tell([JSON.parse(String(data)) as LiveChange]));
    opened.addEventListener('error', () => {
      startPolling();
      // The browser opens a lost connection again, and not a refused one.
      if (opened.readyState !== EventSource.CLOSED) return;
      source = null;
      after(Math.min(RETRY_MS.first * 2 ** retries, RETRY_MS.most), open);
      retries += 1;
    });
  }

  function close(): void {
    clearTimeout(later);
    source?.close();
    source = null;
    stopPolling();
  }

  function onVisibility(): void {
    if (document.visibilityState !== 'visible') after(HIDDEN_MS, close);
    else if (source === null) open();
    else clearTimeout(later);
  }

  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    close();
    clearTimeout(pause);
  };
}
