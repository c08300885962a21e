import { FaceError } from '@svc/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answerRequests, WorkerLink } from './worker-link.ts';

interface Sums {
  add: { readonly ask: readonly [number, number]; readonly answer: number };
  copy: { readonly ask: Uint8Array; readonly answer: Uint8Array };
  fail: { readonly ask: 'as-known' | 'as-unknown'; readonly answer: never };
  hang: { readonly ask: null; readonly answer: null };
}

/** Both ends in one thread: a posted message arrives in the next task. */
function inThisThread() {
  const posted: { readonly transfer: readonly unknown[] }[] = [];
  const worker = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    onerror: null as ((event: Event) => void) | null,
    onmessageerror: null as (() => void) | null,
    terminate: vi.fn(),
    postMessage(data: unknown) {
      queueMicrotask(() =>
        (globalThis as unknown as { onmessage?: (event: { data: unknown }) => void }).onmessage?.({ data }),
      );
    },
  };
  vi.stubGlobal('onmessage', null);
  vi.stubGlobal('postMessage', (data: unknown, transfer: readonly unknown[]) => {
    posted.push({ transfer });
    queueMicrotask(() => worker.onmessage?.({ data }));
  });
  answerRequests<Sums>(
    async (request) => {
      switch (request.name) {
        case 'add':
          return request.ask[0] + request.ask[1];
        case 'copy':
          return Uint8Array.from(request.ask);
        case 'fail':
          if (request.ask === 'as-known') throw new FaceError('image-invalid', 'not an image');
          throw new Error('an address of the page');
        case 'hang':
          return new Promise<never>(() => undefined);
      }
    },
    (answer) => (answer instanceof Uint8Array ? [answer.buffer] : []),
  );
  const onEnd = vi.fn();
  return { worker, posted, onEnd, link: new WorkerLink<Sums>(worker as unknown as Worker, onEnd) };
}

const inTime = { timeoutMs: 1000 };

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a worker that is asked', () => {
  it('answers each question by its own answer', async () => {
    const { link, posted } = inThisThread();
    const asked = [link.ask('add', [1, 2], inTime), link.ask('add', [3, 4], inTime)];
    expect(await Promise.all(asked)).toEqual([3, 7]);
    expect(await link.ask('copy', Uint8Array.of(5), inTime)).toEqual(Uint8Array.of(5));
    expect(posted.map(({ transfer }) => transfer.length)).toEqual([0, 0, 1]);
  });

  it('tells what it refuses, and lives on', async () => {
    const { link, onEnd } = inThisThread();
    await expect(link.ask('fail', 'as-known', inTime)).rejects.toMatchObject({ code: 'image-invalid' });
    expect(link.ended).toBe(false);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('is terminated by an unexpected error, which is not reported in detail', async () => {
    const { link, worker, onEnd } = inThisThread();
    const failed = await link.ask('fail', 'as-unknown', inTime).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'runtime-failed', message: 'the engine failed' });
    expect(link.ended).toBe(true);
    expect(worker.terminate).toHaveBeenCalledOnce();
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it('is terminated when it does not answer in time, and pending requests are rejected', async () => {
    vi.useFakeTimers();
    const { link, onEnd } = inThisThread();
    const waiting = [link.ask('hang', null, inTime), link.ask('hang', null, { timeoutMs: 5000 })];
    const settled = Promise.allSettled(waiting);
    vi.advanceTimersByTime(1000);
    for (const { status } of await settled) expect(status).toBe('rejected');
    expect(onEnd).toHaveBeenCalledOnce();
    await expect(link.ask('add', [1, 1], inTime)).rejects.toMatchObject({ code: 'runtime-failed', retryable: true });
  });

  it('has the whole time for each request, however long those before it took', async () => {
    vi.useFakeTimers();
    const { link, worker, onEnd } = inThisThread();
    const long = link.ask('hang', null, { timeoutMs: 5000 });
    const asked = Promise.allSettled([link.ask('hang', null, inTime), link.ask('hang', null, inTime)]);
    vi.advanceTimersByTime(4900);
    worker.onmessage?.({ data: { id: 1, answer: null } });
    expect(await long).toBeNull();
    vi.advanceTimersByTime(900);
    // The other that waits does not begin anew.
    worker.onmessage?.({ data: { id: 3, answer: null } });
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it('is ended by its own crash, once', async () => {
    const { link, worker, onEnd } = inThisThread();
    const waiting = link.ask('hang', null, inTime);
    const event = new Event('error', { cancelable: true });
    worker.onerror?.(event);
    link.end();
    await expect(waiting).rejects.toMatchObject({ code: 'runtime-failed' });
    expect(event.defaultPrevented).toBe(true);
    expect(onEnd).toHaveBeenCalledOnce();
  });
});
