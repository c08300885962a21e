import { WorkerLink } from '@svc/capture-web';
import { FaceError, type PixelImage } from '@svc/core';
import { Listeners } from '@svc/page-kit';
import type { EngineState, PhotoReview } from '../../ports.ts';
import type { Advice } from './advice.ts';

/** Content of files by name. */
export type EngineFiles = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** Requests to the engine's worker. */
export interface GuideOperations {
  /** Starts the engine from its files, which are transferred. */
  start: { readonly ask: { readonly files: EngineFiles }; readonly answer: null };
  /** Transfers the frame's pixels to the worker, which wipes them. */
  look: { readonly ask: { readonly frame: PixelImage }; readonly answer: Advice };
  /** Like `look`, for a photo that is about to be sent. */
  review: { readonly ask: { readonly frame: PixelImage }; readonly answer: PhotoReview };
}

/** Starts the engine and runs each model once, on a slow phone. */
const START_TIMEOUT_MS = 120_000;
/** An analysis takes tens of milliseconds; a worker without an answer for this long hangs. */
const LOOK_TIMEOUT_MS = 10_000;
/** How long an unused engine is kept: while the guest reads the consent, or for a retake. */
const KEPT_MS = 5 * 60_000;

/** {@link createEngineHost} */
export type EngineHost = ReturnType<typeof createEngineHost>;
/** One use of the engine. */
export type EngineUse = ReturnType<EngineHost['use']>;

interface EngineHostOptions {
  readonly createWorker: () => Worker;
  /** Fetches what the worker gets with its start; it checks the content. */
  readonly fetchFiles: FetchFiles;
}

const sending = ({ data }: PixelImage) => ({
  timeoutMs: LOOK_TIMEOUT_MS,
  transfer: [data.buffer as ArrayBuffer],
});

interface Started {
  readonly ready: Promise<WorkerLink<GuideOperations>>;
  /** Ends download and worker. Idempotent. */
  end(): void;
}

/**
 * The engine in its worker. It is fetched and starts with the first use and ends after a time without use. A download
 * that stalls goes on with `resume` or the next use.
 */
export function createEngineHost({ createWorker, fetchFiles }: EngineHostOptions) {
  const states = new Listeners<EngineState>();
  let state: EngineState = { name: 'idle' };
  let started: Started | null = null;
  let uses = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let keptMs = KEPT_MS;
  let resume = () => {};

  function become(next: EngineState): void {
    state = next;
    states.tell(next);
  }

  function start(): Started {
    const ended = new AbortController();
    const { signal } = ended;
    const end = (name: 'idle' | 'absent') => {
      if (signal.aborted) return;
      ended.abort();
      started = null;
      become({ name });
    };

    async function fetchAll(cache: RequestCache): Promise<EngineFiles> {
      let progress: number | null = null;
      while (!signal.aborted) {
        become({ name: 'loading', progress });
        try {
          return await fetchFiles(
            (share) => {
              progress = share;
              if (!signal.aborted) become({ name: 'loading', progress });
            },
            signal,
            cache,
          );
        } catch (error) {
          if (signal.aborted) throw error;
          become({ name: 'stalled', progress });
          await new Promise<void>((resolve) => {
            resume = resolve;
            signal.addEventListener('abort', () => resolve());
          });
        }
      }
      throw new Error('the engine was ended');
    }

    async function run() {
      let isAsked = false;
      const connect = () =>
        new WorkerLink<GuideOperations>(createWorker(), () => {
          // A worker that ends while it is used has failed.
          if (isAsked) end(uses > 0 ? 'absent' : 'idle');
        });
      let link = connect();
      signal.addEventListener('abort', () => link.end());
      const startFrom = async (cache: RequestCache) => {
        const files = await fetchAll(cache);
        // Its script came no more than the files did.
        if (link.ended) link = connect();
        isAsked = true;
        const transfer = Object.values(files).map(({ buffer }) => buffer);
        await link.ask('start', { files }, { timeoutMs: START_TIMEOUT_MS, transfer });
      };
      await startFrom('default').catch((error) => {
        if (!FaceError.is(error) || error.code !== 'model-mismatch') throw error;
        // A cache on the way kept wrong bytes.
        return startFrom('reload');
      });
      if (!signal.aborted) become({ name: 'ready' });
      return link;
    }

    const ready = run();
    // It cannot run here, or the models gave wrong results: the next use starts a new worker.
    ready.catch(() => end('absent'));
    return { ready, end: () => end('idle') };
  }

  return {
    /** Called with the state, now and at every change. */
    onState(listener: (state: EngineState) => void): void {
      listener(state);
      states.add(listener);
    },
    /** Goes on with a download that has stalled. */
    resume: () => resume(),
    use() {
      started ??= start();
      const { ready } = started;
      resume();
      clearTimeout(idle);
      keptMs = KEPT_MS;
      uses += 1;
      let isReleased = false;
      return {
        /** Resolves once the engine is ready. @throws FaceError if it cannot run here; Error if it is ended before */
        ready: ready as Promise<unknown>,
        /** Transfers the frame's buffer to the engine, which wipes it. @throws FaceError `runtime-failed` */
        look: async (frame: PixelImage) => (await ready).ask('look', { frame }, sending(frame)),
        /** Like `look`, for a photo that is about to be sent. */
        review: async (frame: PixelImage) => (await ready).ask('review', { frame }, sending(frame)),
        /** Idempotent. */
        release(): void {
          if (isReleased) return;
          isReleased = true;
          uses -= 1;
          if (uses === 0) idle = setTimeout(() => started?.end(), keptMs);
        },
      };
    },
    /** No use is expected: a download ends now, the worker once its last use has ended. Idempotent. */
    coolDown(): void {
      keptMs = 0;
      if (uses === 0 || state.name !== 'ready') started?.end();
    },
  };
}

/** After this time without a byte of any part the download has stalled. */
const STALLED_MS = 20_000;
/** One would leave the connection idle for a round trip after each part, many would lose much with it. */
const PARTS_AT_ONCE = 2;

/** A part of a file. Sizes and place in bytes; `sentBytes` is about its size on the wire. */
export interface EnginePart {
  readonly name: string;
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
  readonly sentBytes: number;
}

/**
 * Fetches files. What came before a failure is not fetched again; a part of another length is, once, past the caches.
 * @param onProgress called with the fetched share of the bytes on the wire, 0 to 1
 * @throws Error if a part cannot be fetched, does not come or has another size; DOMException `AbortError`
 */
export type FetchFiles = (
  onProgress: (share: number) => void,
  ended: AbortSignal,
  cache: RequestCache,
) => Promise<EngineFiles>;

/** @returns whether it has the length with which it was built */
async function fetchPart(url: URL, into: Uint8Array, init: RequestInit, count: (bytes: number) => void) {
  const response = await fetch(url, init);
  const reader = response.ok ? response.body?.getReader() : undefined;
  if (reader === undefined) throw new Error(`the server answered ${response.status}`);
  let at = 0;
  for (let read = await reader.read(); !read.done && at <= into.byteLength; read = await reader.read()) {
    const { value } = read;
    if (at + value.byteLength <= into.byteLength) into.set(value, at);
    at += value.byteLength;
    count(value.byteLength);
  }
  if (at !== into.byteLength) count(-at);
  return at === into.byteLength;
}

const sentBytesOf = (parts: readonly EnginePart[]) => parts.reduce((sum, { sentBytes }) => sum + sentBytes, 0);

/** @param parts of files below the folder, whose address ends in a slash; a file's parts in their order */
export function createEngineFetcher(folder: URL, parts: readonly EnginePart[]): FetchFiles {
  let contents = new Map<string, Uint8Array<ArrayBuffer>>();
  let missing: readonly EnginePart[] = [];
  return async (onProgress, ended, cache) => {
    if (missing.length === 0) {
      const sizes = new Map(parts.map(({ name, at, bytes }) => [name, at + bytes]));
      contents = new Map([...sizes].map(([name, size]) => [name, new Uint8Array(size)]));
      missing = parts;
    }
    let left = sentBytesOf(missing);
    const given = new AbortController();
    const giveUp = () => given.abort();
    let timer = setTimeout(giveUp, STALLED_MS);
    ended.addEventListener('abort', giveUp);
    const waiting = [...missing];
    const fetchNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const part = next;
        const into = contents.get(part.name)?.subarray(part.at, part.at + part.bytes) ?? new Uint8Array();
        const count = (bytes: number) => {
          clearTimeout(timer);
          timer = setTimeout(giveUp, STALLED_MS);
          left -= (bytes / part.bytes) * part.sentBytes;
          onProgress(1 - left / sentBytesOf(parts));
        };
        const get = (from: RequestCache) =>
          fetchPart(new URL(part.path, folder), into, { signal: given.signal, cache: from }, count);
        if (!((await get(cache)) || (await get('reload')))) throw new Error('a part has another length');
        missing = missing.filter((other) => other !== part);
      }
    };
    try {
      await Promise.all(Array.from({ length: PARTS_AT_ONCE }, fetchNext));
      return Object.fromEntries(contents);
    } finally {
      // One part's failure ends the others.
      giveUp();
      clearTimeout(timer);
    }
  };
}
