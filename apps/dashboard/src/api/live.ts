import type { LiveChange, LiveTopic } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { cache } from './client.ts';
import { endpoints, type OperationId } from './operations.ts';

/** What somebody on the page shows. */
interface LiveInterest {
  readonly topic: LiveTopic;
  /** A list, event or webhook; null for all of the topic. */
  readonly subject: string | null;
  readonly onChange: () => void;
}

/** Without a stream everything that is shown is read again this often. */
export const POLL_MS = 15_000;
/** The same thing is read again at most this often. */
export const PAUSE_MS = 3_000;
/** A hidden page gives its connection back: a browser has few for one service. */
const HIDDEN_MS = 30_000;
/** The next page, which may show something too, is a moment away. */
const UNUSED_MS = 5_000;
const RETRY_MS = { first: 5_000, most: 120_000 };

interface Watched extends LiveInterest {
  toldAtMs: number;
  pending: ReturnType<typeof setTimeout> | undefined;
}

const subjectOf = (change: LiveChange): string =>
  'listId' in change ? change.listId : 'eventId' in change ? change.eventId : change.webhookId;

const isVisible = (): boolean => document.visibilityState === 'visible';

/**
 * One stream of changes for the whole page, open while something of it is shown. While there is no stream, it polls:
 * nobody has to care which of both it is.
 */
export class LiveConnection {
  readonly #watched = new Set<Watched>();
  #source: EventSource | null = null;
  /** Until a new stream is ready: what is shown was read before it. What a lost connection missed, the service tells. */
  #mayHaveMissed = false;
  #retries = 0;
  #poll: ReturnType<typeof setInterval> | null = null;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => {
      if (!isVisible()) this.#after(HIDDEN_MS, () => this.#close());
      else if (this.#source !== null) clearTimeout(this.#later);
      else if (this.#watched.size > 0) this.#open();
    });
  }

  /** @returns ends it */
  watch(interest: LiveInterest): () => void {
    const watched: Watched = { ...interest, toldAtMs: 0, pending: undefined };
    this.#watched.add(watched);
    if (this.#source === null && this.#poll === null) this.#open();
    return () => {
      this.#watched.delete(watched);
      clearTimeout(watched.pending);
      if (this.#watched.size === 0) this.#after(UNUSED_MS, () => this.#closeUnused());
    };
  }

  #closeUnused(): void {
    if (this.#watched.size === 0) this.#close();
    else if (this.#source === null) this.#open();
  }

  #open(): void {
    this.#close();
    this.#startPolling();
    if (typeof EventSource === 'undefined') return;
    const source = new EventSource(otherEndpoints.streamChanges.path);
    this.#source = source;
    this.#mayHaveMissed = true;
    source.addEventListener('ready', () => this.#onReady(false));
    source.addEventListener('missed', () => this.#onReady(true));
    source.addEventListener('changed', ({ data }) => this.#onChange(JSON.parse(String(data)) as LiveChange));
    source.addEventListener('error', () => this.#onError(source));
  }

  #close(): void {
    clearTimeout(this.#later);
    this.#source?.close();
    this.#source = null;
    this.#stopPolling();
  }

  #startPolling(): void {
    this.#poll ??= setInterval(() => this.#tellAll(), POLL_MS);
  }

  #stopPolling(): void {
    if (this.#poll !== null) clearInterval(this.#poll);
    this.#poll = null;
  }

  #onReady(isMissed: boolean): void {
    this.#retries = 0;
    this.#stopPolling();
    if (isMissed || this.#mayHaveMissed) this.#tellAll();
    this.#mayHaveMissed = false;
  }

  #onChange(change: LiveChange): void {
    const subject = subjectOf(change);
    for (const watched of this.#watched) {
      const isMeant = watched.subject === null || watched.subject === subject;
      if (watched.topic === change.topic && isMeant) this.#tell(watched);
    }
  }

  /** A lost connection is opened again by the browser; a refused one is not. */
  #onError(source: EventSource): void {
    if (source !== this.#source) return;
    this.#startPolling();
    if (source.readyState !== EventSource.CLOSED) return;
    this.#source = null;
    this.#after(Math.min(RETRY_MS.first * 2 ** this.#retries, RETRY_MS.most), () => this.#open());
    this.#retries += 1;
  }

  #after(ms: number, act: () => void): void {
    clearTimeout(this.#later);
    this.#later = setTimeout(act, ms);
  }

  #tellAll(): void {
    if (!isVisible()) return;
    for (const watched of this.#watched) this.#tell(watched);
  }

  /** At once, or at the end of the pause since the last time. */
  #tell(watched: Watched): void {
    if (watched.pending !== undefined) return;
    const waitMs = watched.toldAtMs + PAUSE_MS - Date.now();
    const tell = () => {
      watched.pending = undefined;
      watched.toldAtMs = Date.now();
      watched.onChange();
    };
    if (waitMs <= 0) tell();
    else watched.pending = setTimeout(tell, waitMs);
  }
}

/** Parts of the paths whose answers a topic changes; lists and events tell counts of what is in them. */
const PATHS: Readonly<Record<LiveTopic, RegExp>> = {
  people: /\/people|^\/v1\/(lists|events)(\/\{\w+\})?$|\/usage$|\/consents$/,
  doors: /\/devices|^\/v1\/(lists|events)(\/\{\w+\})?$/,
  guests: /\/enrolment-tokens|^\/v1\/events(\/\{\w+\})?$/,
  mailings: /\/mailings|\/enrolment-tokens/,
  webhooks: /\/webhooks/,
};

/** Whether what a query has read may be changed by a topic. */
export function isChangedBy({ queryKey }: Pick<Query, 'queryKey'>, topic: LiveTopic, subject: string | null): boolean {
  const [, id, input] = queryKey as readonly [string, OperationId, { readonly params?: Record<string, string> }?];
  const path = endpoints[id]?.path;
  if (path === undefined || !PATHS[topic].test(path)) return false;
  const named = Object.values(input?.params ?? {});
  // An event's page shows its list, and the other way round: a resource alone is read again whatever its name.
  return subject === null || named.length === 0 || named.includes(subject) || path.endsWith('}');
}

let shared: LiveConnection | null = null;

/**
 * Reads again what is shown of a topic when the service tells that it has changed: `useLive('doors', listId)`. By the
 * stream of changes, else by polling.
 * @param subject a list, event or webhook; null for all of the topic
 */
export function useLive(topic: LiveTopic, subject: string | null = null): void {
  useEffect(() => {
    shared ??= new LiveConnection();
    const predicate = (query: Query) => isChangedBy(query, topic, subject);
    return shared.watch({ topic, subject, onChange: () => void cache.invalidateQueries({ predicate }) });
  }, [topic, subject]);
}
