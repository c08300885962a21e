import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEngineHost } from './engine-host.ts';

/** A worker that answers at once; `fails` makes it refuse to start. */
class FakeWorker {
  readonly asked: { readonly name: string; readonly ask: { readonly folder?: string; readonly files?: object } }[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  isTerminated = false;
  readonly #fails: boolean;

  constructor(fails: boolean) {
    this.#fails = fails;
  }

  postMessage(request: { readonly id: number; readonly name: string; readonly ask: object }): void {
    this.asked.push(request);
    const { id, name } = request;
    const failed = { id, error: { code: 'golden-mismatch', message: 'not as recorded' } };
    const answer = name === 'start' ? null : { hint: null, face: null };
    queueMicrotask(() => this.onmessage?.({ data: this.#fails ? failed : { id, answer } }));
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

function setUp(fails = false, isOnline = true) {
  const workers: FakeWorker[] = [];
  const host = createEngineHost({
    createWorker() {
      const worker = new FakeWorker(fails);
      workers.push(worker);
      return worker as unknown as Worker;
    },
    folder: new URL('https://widget.example/assets/engine-0/'),
    async fetchFiles(onProgress) {
      await Promise.resolve();
      onProgress(0.5);
      if (!isOnline) throw new TypeError('Failed to fetch');
      return { 'manifest.json': new Uint8Array(2) };
    },
  });
  return { host, workers };
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
    expect(workers[0]?.asked[0]?.ask.folder).toBe('https://widget.example/assets/engine-0/');
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

  it('says that it is absent without a network, and why to its users', async () => {
    const { host } = setUp(false, false);
    await expect(host.use().ready).rejects.toThrow('Failed to fetch');
    let last = '';
    host.onState(({ name }) => {
      last = name;
    });
    expect(last).toBe('absent');
  });

  it('tries again after a failed start', async () => {
    const { host, workers } = setUp(true);
    await expect(host.use().ready).rejects.toMatchObject({ code: 'golden-mismatch' });
    await expect(host.use().ready).rejects.toMatchObject({ code: 'golden-mismatch' });
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
  });
});
