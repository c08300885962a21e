import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEngineFetcher, createEngineHost } from './engine-host.ts';

/** A worker that answers at once, and takes a code of `failures` with each start. */
class FakeWorker {
  readonly asked: { readonly name: string; readonly ask: { readonly files?: object } }[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  isTerminated = false;
  readonly #failures: string[];

  constructor(failures: string[]) {
    this.#failures = failures;
  }

  postMessage(request: { readonly id: number; readonly name: string; readonly ask: object }): void {
    this.asked.push(request);
    const { id, name } = request;
    const code = name === 'start' ? this.#failures.shift() : undefined;
    const answer = name === 'start' ? null : { hint: null, face: null };
    const data = code === undefined ? { id, answer } : { id, error: { code, message: 'not as recorded' } };
    queueMicrotask(() => this.onmessage?.({ data }));
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

function setUp(...failures: string[]) {
  const workers: FakeWorker[] = [];
  const network = { isOnline: true, caches: [] as RequestCache[] };
  const host = createEngineHost({
    createWorker() {
      const worker = new FakeWorker(failures);
      workers.push(worker);
      return worker as unknown as Worker;
    },
    async fetchFiles(onProgress, ended, cache) {
      network.caches.push(cache);
      await Promise.resolve();
      onProgress(0.5);
      if (!network.isOnline || ended.aborted) throw new TypeError('Failed to fetch');
      return { 'manifest.json': new Uint8Array(2) };
    },
  });
  return { host, workers, network };
}

const frame = () => ({ data: new Uint8Array(16), width: 2, height: 2, channels: 4 }) as const;

afterEach(() => void vi.useRealTimers());

describe('the engine’s host', () => {
  it('starts one worker for all uses, at the first use', async () => {
    const { host, workers } = setUp();
    expect(workers).toHaveLength(0);
    const uses = [host.use(), host.use()];
    for (const use of uses) await use.ready;
    expect(await uses[0]?.look(frame())).toEqual({ hint: null, face: null });
    expect(workers).toHaveLength(1);
  });

  it('ends the worker after a time without use, and starts another one later', async () => {
    vi.useFakeTimers();
    const { host, workers } = setUp();
    const first = host.use();
    await first.ready;
    first.release();
    first.release();
    await vi.advanceTimersByTimeAsync(200_000);
    const second = host.use();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([false]);
    second.release();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
    await host.use().ready;
    expect(workers).toHaveLength(2);
  });

  it('ends the worker with its last use if no other is expected, and starts another one nevertheless', async () => {
    vi.useFakeTimers();
    const { host, workers } = setUp();
    const ended = () => workers.map(({ isTerminated }) => isTerminated);
    const first = host.use();
    await first.ready;
    host.coolDown();
    expect(ended()).toEqual([false]);
    first.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended()).toEqual([true]);
    const second = host.use();
    await second.ready;
    second.release();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended()).toEqual([true, false]);
    host.coolDown();
    host.coolDown();
    expect(ended()).toEqual([true, true]);
  });

  it('says how far it is', async () => {
    const { host, workers } = setUp();
    const told: unknown[] = [];
    host.onState(({ name, ...more }) => told.push(name === 'loading' ? { name, ...more } : name));
    await host.use().ready;
    expect(told).toEqual(['idle', { name: 'loading', progress: null }, { name: 'loading', progress: 0.5 }, 'ready']);
    host.onState(({ name }) => told.push(name));
    expect(told.at(-1)).toBe('ready');
    expect(workers[0]?.asked[0]?.ask).toMatchObject({ files: { 'manifest.json': new Uint8Array(2) } });
  });

  it('says that its download has stalled, and goes on when asked, for those who wait as well', async () => {
    const { host, workers, network } = setUp();
    network.isOnline = false;
    const told: string[] = [];
    host.onState(({ name }) => told.push(name));
    const { ready, release } = host.use();
    await vi.waitFor(() => expect(told.at(-1)).toBe('stalled'));
    host.resume();
    await vi.waitFor(() => expect(told.filter((name) => name === 'stalled')).toHaveLength(2));
    network.isOnline = true;
    host.use().release();
    await ready;
    expect([told.at(-1), workers.length]).toEqual(['ready', 1]);
    release();
  });

  it.each([true, false])('that nobody awaits any more ends its download (online: %s)', async (isOnline) => {
    const { host, workers, network } = setUp();
    network.isOnline = isOnline;
    const { ready } = host.use();
    host.coolDown();
    await expect(ready).rejects.toThrow();
    expect(workers.map(({ asked, isTerminated }) => [asked.length, isTerminated])).toEqual([[0, true]]);
  });

  it('tries again after a failed start', async () => {
    const { host, workers } = setUp('golden-mismatch', 'golden-mismatch');
    await expect(host.use().ready).rejects.toMatchObject({ code: 'golden-mismatch' });
    await expect(host.use().ready).rejects.toMatchObject({ code: 'golden-mismatch' });
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
  });

  it('fetches wrong bytes once more, past the caches', async () => {
    const wrong = 'model-mismatch';
    const { host, network, workers } = setUp(wrong, wrong, wrong);
    await expect(host.use().ready).rejects.toMatchObject({ code: wrong });
    await host.use().ready;
    expect(network.caches).toEqual(['default', 'reload', 'default', 'reload']);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
  });
});

it('what was fetched before a connection broke off, or went silent, is not fetched again', async () => {
  vi.useFakeTimers();
  const parts = [0, 1, 2, 3, 4, 5].map((i) => ({ name: 'a', path: `a.${i}`, at: i, bytes: 1, sentBytes: 1 + i }));
  const asked: string[] = [];
  let answer: (i: number, signal: AbortSignal) => Promise<Response>;
  vi.stubGlobal('fetch', (url: URL, { signal }: { signal: AbortSignal }) => {
    asked.push(url.pathname.slice(1));
    return answer(asked.length - 1, signal);
  });
  const fetchFiles = createEngineFetcher(new URL('https://widget.example/'), parts);
  const shares: number[] = [];
  const run = () => fetchFiles((share) => shares.push(Math.round(share * 21)), new AbortController().signal, 'default');
  const body = (i: number) => Promise.resolve(new Response(new Uint8Array([i])));
  answer = (i) => (i < 3 ? body(i) : Promise.reject(new TypeError('Failed to fetch')));
  await expect(run()).rejects.toThrow('Failed to fetch');
  expect(shares.at(-1)).toBe(6);
  answer = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const silent = expect(run()).rejects.toThrow('aborted');
  await vi.advanceTimersByTimeAsync(20_000);
  await silent;
  asked.length = 0;
  answer = (i) => body(i + 3);
  expect(await run()).toEqual({ a: new Uint8Array([0, 1, 2, 3, 4, 5]) });
  expect([asked, shares.at(-1)]).toEqual([['a.3', 'a.4', 'a.5'], 21]);
  vi.unstubAllGlobals();
});

it.each([0, 2, 3])('a part of %i bytes in place of one is fetched once more, past the caches', async (bytes) => {
  const caches: (RequestCache | undefined)[] = [];
  const bodies = [bytes, bytes, bytes, 1];
  vi.stubGlobal('fetch', async (_url: URL, { cache }: RequestInit) => {
    caches.push(cache);
    return new Response(new Uint8Array(bodies.shift() ?? 1).fill(7));
  });
  const parts = [{ name: 'a', path: 'a.0', at: 0, bytes: 1, sentBytes: 1 }];
  const fetchFiles = createEngineFetcher(new URL('https://widget.example/'), parts);
  const shares: number[] = [];
  const run = () => fetchFiles((share) => shares.push(share), new AbortController().signal, 'default');
  await expect(run()).rejects.toThrow('length');
  expect(await run()).toEqual({ a: new Uint8Array([7]) });
  expect([caches, shares.at(-1)]).toEqual([['default', 'reload', 'default', 'reload'], 1]);
  vi.unstubAllGlobals();
});
