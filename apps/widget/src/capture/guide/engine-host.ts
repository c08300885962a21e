import { WorkerLink } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import { Listeners } from '@svc/page-kit';
import type { EngineState, PhotoReview } from '../../ports.ts';
import type { Advice } from './advice.ts';

/** Content of files by name. */
export type EngineFiles = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** Requests to the engine's worker. */
export interface GuideOperations {
  /** Starts the engine from its files, which are transferred, and from the script in a folder, which ends in a slash. */
  start: { readonly ask: { readonly folder: string; readonly files: EngineFiles }; readonly answer: null };
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
  /** The engine's folder; ends in a slash. */
  readonly folder: URL;
  /**
   * Fetches what the worker gets with its start; it checks the content.
   * @param onProgress called with the fetched share, 0 to 1
   * @throws if a file cannot be fetched
   */
  readonly fetchFiles: (onProgress: (share: number) => void) => Promise<EngineFiles>;
}

const sending = ({ data }: PixelImage) => ({
  timeoutMs: LOOK_TIMEOUT_MS,
  transfer: [data.buffer as ArrayBuffer],
});

interface Started {
  readonly link: WorkerLink<GuideOperations>;
  readonly ready: Promise<void>;
}

/** The engine in its worker. The worker starts with the first use and ends after a time without use. */
export function createEngineHost({ createWorker, folder, fetchFiles }: EngineHostOptions) {
  const states = new Listeners<EngineState>();
  let state: EngineState = { name: 'idle' };
  let started: Started | null = null;
  let uses = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let keptMs = KEPT_MS;

  function become(next: EngineState): void {
    state = next;
    states.tell(next);
  }

  function start(): Started {
    const link = new WorkerLink<GuideOperations>(createWorker(), () => {
      if (started?.link !== link) return;
      started = null;
      // A worker that ends while it is used has failed.
      if (state.name !== 'absent') become({ name: uses > 0 ? 'absent' : 'idle' });
    });
    become({ name: 'loading', progress: null });
    const fetched = fetchFiles((progress) => {
      if (started?.link === link) become({ name: 'loading', progress });
    });
    const startEngine = (files: EngineFiles) =>
      link.ask(
        'start',
        { folder: folder.href, files },
        { timeoutMs: START_TIMEOUT_MS, transfer: Object.values(files).map(({ buffer }) => buffer) },
      );
    const ready = fetched.then(startEngine).then(
      () => {
        if (started?.link === link) become({ name: 'ready' });
      },
      (error: unknown) => {
        // Loading failed or the models gave wrong results: the next use starts a new worker.
        if (started === null || started.link === link) become({ name: 'absent' });
        link.end();
        throw error;
      },
    );
    ready.catch(() => undefined);
    return { link, ready };
  }

  return {
    /** Called with the state, now and at every change. */
    onState(listener: (state: EngineState) => void): void {
      listener(state);
      states.add(listener);
    },
    /** @throws Error if the browser has no workers */
    use() {
      started ??= start();
      const { link, ready } = started;
      clearTimeout(idle);
      keptMs = KEPT_MS;
      uses += 1;
      let isReleased = false;
      return {
        /** Resolves once the engine is ready. @throws FaceError if it cannot run here; Error if it cannot be fetched */
        ready,
        /** Transfers the frame's buffer to the engine, which wipes it. @throws FaceError `runtime-failed` */
        look: (frame: PixelImage) => link.ask('look', { frame }, sending(frame)),
        /** Like `look`, for a photo that is about to be sent. */
        review: (frame: PixelImage) => link.ask('review', { frame }, sending(frame)),
        /** Idempotent. */
        release(): void {
          if (isReleased) return;
          isReleased = true;
          uses -= 1;
          if (uses === 0) idle = setTimeout(() => started?.link.end(), keptMs);
        },
      };
    },
    /** No use is expected: the worker ends now, or once its last use has ended. Idempotent. */
    coolDown(): void {
      keptMs = 0;
      if (uses === 0) started?.link.end();
    },
  };
}

/** After this time without the whole file the network counts as lost. */
const TIMEOUT_MS = 120_000;

async function fetchFile(url: URL, bytes: number, count: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const reader = response.ok ? response.body?.getReader() : undefined;
  if (reader === undefined) throw new Error(`the server answered ${response.status}`);
  const content = new Uint8Array(bytes);
  let at = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (at + read.value.byteLength > bytes) throw new Error('the file is longer than it was built');
    content.set(read.value, at);
    at += read.value.byteLength;
    count(read.value.byteLength);
  }
  if (at < bytes) throw new Error('the file is shorter than it was built');
  return content;
}

/**
 * Fetches the files of a folder at once.
 * @param files with their sizes, uncompressed, in bytes
 * @param onProgress called with the fetched share, 0 to 1, in steps of a hundredth
 * @throws Error if a file cannot be fetched or has another size; DOMException `TimeoutError`
 */
export async function fetchEngineFiles(
  folder: URL,
  files: readonly (readonly [name: string, bytes: number])[],
  onProgress: (share: number) => void,
): Promise<EngineFiles> {
  const all = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  let fetched = 0;
  let told = 0;
  const count = (bytes: number): void => {
    fetched += bytes;
    const share = Math.floor((fetched / all) * 100) / 100;
    if (share === told) return;
    told = share;
    onProgress(share);
  };
  const contents = files.map(
    async ([name, bytes]) => [name, await fetchFile(new URL(name, folder), bytes, count)] as const,
  );
  return Object.fromEntries(await Promise.all(contents));
}
