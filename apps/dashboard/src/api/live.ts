import type { LiveChange, LiveTopic } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { endpoints, type OperationId } from './operations.ts';
import { cache } from './page.ts';

/** What this needs of an `EventSource`. */
export interface LiveSource {
  /** 2: closed, because the service refused. */
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

export interface LiveHost {
  /** Null where the browser has no `EventSource`. */
  readonly open: (() => LiveSource) | null;
  readonly isVisible: () => boolean;
  /** Calls the listener when the page is shown or hidden. */
  readonly onVisibility: (listener: () => void) => void;
}

/** What somebody on the page shows. */
export interface LiveInterest {
  readonly topic: LiveTopic;
  /** A list, event or webhook; null for all of the topic. */
  readonly subject: string | null;
  /** Reads it again. */
  readonly onChange: () => void;
}

/** Without a stream everything that is shown is read again this often. */
export const POLL_MS = 15_000;
/** The same thing is read again at most this often. */
export const PAUSE_MS = 3_000;
/** A hidden page gives its connection back: a browser has few for one service. */
const HIDDEN_MS = 30_000;
const UNUSED_MS = 5_000;
const RETRY_MS = { first: 5_000, most: 120_000 };
const CLOSED = 2;

interface Watched extends LiveInterest {
  toldAtMs: number;
  pending: ReturnType<typeof setTimeout> | null;
}

const subjectOf = (change: LiveChange): string =>
  'listId' in change ? change.listId : 'eventId' in change ? change.eventId : change.webhookId;

/**
 * One stream of changes for the whole page, open while something of it is shown. While there is no stream, it polls:
 * nobody has to care which of both it is.
 */
export class LiveConnection {
  readonly #host: LiveHost;
  readonly #watched = new Set<Watched>();
  #source: LiveSource | null = null;
  /** Until a new stream is ready: what is shown was read before it. What a lost connection missed, the service tells. */
  #mayHaveMissed = false;
  #retries = 0;
  #poll: ReturnType<typeof setInterval> | null = null;
  #later: ReturnType<typeof setTimeout> | null = null;

  constructor(host: LiveHost) {
    this.#host = host;
    host.onVisibility(() => this.#onVisibility());
  }

  /** @returns ends it */
  watch(interest: LiveInterest): () => void {
    const watched: Watched = { ...interest, toldAtMs: 0, pending: null };
    this.#watched.add(watched);
    if (this.#source === null && this.#poll === null) this.#open();
    return () => {
      this.#watched.delete(watched);
      if (watched.pending !== null) clearTimeout(watched.pending);
      // The next page, which may show something too, is a moment away.
      if (this.#watched.size === 0) this.#after(UNUSED_MS, () => this.#closeUnused());
    };
  }

  #closeUnused(): void {
    if (this.#watched.size === 0) this.#close();
    else if (this.#source === null) this.#open();
  }

  #open(): void {
    this.#close();
    this.#poll = setInterval(() => this.#tellAll(), POLL_MS);
    if (this.#host.open === null) return;
    const source = this.#host.open();
    this.#source = source;
    this.#mayHaveMissed = true;
    source.addEventListener('ready', () => this.#onReady(false));
    source.addEventListener('missed', () => this.#onReady(true));
    source.addEventListener('changed', ({ data }) => this.#onChange(JSON.parse(String(data)) as LiveChange));
    source.addEventListener('error', () => this.#onError(source));
  }

  #onReady(isMissed: boolean): void {
    this.#retries = 0;
    if (this.#poll !== null) clearInterval(this.#poll);
    this.#poll = null;
    if (isMissed || this.#mayHaveMissed) this.#tellAll();
    this.#mayHaveMissed = false;
  }

  #onChange(change: LiveChange): void {
    const subject = subjectOf(change);
    for (const watched of this.#watched) {
      if (watched.topic === change.topic && (watched.subject === null || watched.subject === subject))
        this.#tell(watched);
    }
  }

  /** A lost connection is opened again by the browser; a refused one is not. */
  #onError(source: LiveSource): void {
    if (source !== this.#source) return;
    this.#poll ??= setInterval(() => this.#tellAll(), POLL_MS);
    if (source.readyState !== CLOSED) return;
    source.close();
    this.#source = null;
    this.#after(Math.min(RETRY_MS.first * 2 ** this.#retries, RETRY_MS.most), () => this.#open());
    this.#retries += 1;
  }

  #onVisibility(): void {
    if (!this.#host.isVisible()) {
      this.#after(HIDDEN_MS, () => this.#close());
      return;
    }
    if (this.#source !== null) this.#stopWaiting();
    else if (this.#watched.size > 0) this.#open();
  }

  #close(): void {
    this.#stopWaiting();
    this.#source?.close();
    this.#source = null;
    if (this.#poll !== null) clearInterval(this.#poll);
    this.#poll = null;
  }

  #after(ms: number, act: () => void): void {
    this.#stopWaiting();
    this.#later = setTimeout(() => {
      this.#later = null;
      act();
    }, ms);
  }

  #stopWaiting(): void {
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
  }

  #tellAll(): void {
    if (!this.#host.isVisible()) return;
    for (const watched of this.#watched) this.#tell(watched);
  }

  /** At once, or at the end of the pause since the last time. */
  #tell(watched: Watched): void {
    if (watched.pending !== null) return;
    const waitMs = watched.toldAtMs + PAUSE_MS - Date.now();
    const tell = () => {
      watched.pending = null;
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

function connection(): LiveConnection {
  shared ??= new LiveConnection({
    open: typeof EventSource === 'undefined' ? null : () => new EventSource(otherEndpoints.streamChanges.path),
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (listener) => document.addEventListener('visibilitychange', listener),
  });
  return shared;
}

/**
 * Reads again what is shown of a topic when the service tells that it has changed: `useLive('doors', listId)`. By the
 * stream of changes, else by polling.
 * @param subject a list, event or webhook; null for all of the topic
 */
export function useLive(topic: LiveTopic, subject: string | null = null): void {
  useEffect(
    () =>
      connection().watch({
        topic,
        subject,
        onChange: () => void cache.invalidateQueries({ predicate: (query) => isChangedBy(query, topic, subject) }),
      }),
    [topic, subject],
  );
}
