import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LiveTopic } from '@svc/protocol';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { liveHandlers } from './routes.ts';
import { createLiveService, type LiveEvent } from './service.ts';
import type { LiveMark } from './store.ts';

let marks: LiveMark[] = [];
let asked: (readonly string[])[] = [];
let failure: Error | null = null;
let isSaturated = false;
const onError = vi.fn();

const mark = (accountId: string, topic: LiveTopic, subject: string, text: string): LiveMark => ({
  ...{ accountId, topic, subject, mark: text },
});
const service = () =>
  createLiveService({
    store: {
      marks: async (accountIds) => {
        asked.push(accountIds);
        if (failure !== null) throw failure;
        return marks.filter(({ accountId }) => accountIds.includes(accountId));
      },
    },
    database: { isSaturated: () => isSaturated },
    onError,
  });

function watcher(accountId: string, lastEventId: string | null = null) {
  const told: LiveEvent[] = [];
  return {
    told,
    end: vi.fn(),
    accountId,
    lastEventId,
    tell: (events: readonly LiveEvent[]) => void told.push(...events),
  };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  marks = [mark('acc_1', 'people', 'lst_1', 'a'), mark('acc_2', 'people', 'lst_2', 'a')];
  asked = [];
  failure = null;
  isSaturated = false;
  onError.mockReset();
});
afterEach(() => vi.useRealTimers());

describe('the watchers of a node', () => {
  it('are told what changed in their own account, and nothing else', async () => {
    const live = service();
    const [one, two] = [watcher('acc_1'), watcher('acc_2')];
    live.watch(one);
    live.watch(two);
    await pass(0);
    expect([one.told, two.told].map((told) => told.map(({ type }) => type))).toEqual([['ready'], ['ready']]);
    await pass(2_000);
    expect(one.told).toHaveLength(1);
    marks = [mark('acc_1', 'people', 'lst_1', 'b'), mark('acc_1', 'guests', 'evt_1', 'a'), ...marks.slice(1)];
    await pass(2_000);
    expect(one.told.slice(1)).toEqual([
      { type: 'changed', change: { topic: 'people', listId: 'lst_1' }, id: null },
      { type: 'changed', change: { topic: 'guests', eventId: 'evt_1' }, id: expect.any(String) },
    ]);
    marks = marks.slice(1);
    await pass(2_000);
    expect(one.told.slice(3)).toMatchObject([{ change: { topic: 'people', listId: 'lst_1' } }]);
    expect(two.told).toHaveLength(1);
    await live.close();
  });

  it('share one statement, which is not sent without them', async () => {
    const live = service();
    await pass(10_000);
    const stops = ['acc_1', 'acc_1', 'acc_2'].map((accountId) => live.watch(watcher(accountId)));
    await pass(2_000);
    expect(asked).toEqual([
      ['acc_1', 'acc_2'],
      ['acc_1', 'acc_2'],
    ]);
    for (const stop of stops) stop();
    stops[0]?.();
    await pass(60_000);
    expect(asked).toHaveLength(2);
    await live.close();
  });

  it('that come again are told whether they missed something, at any node', async () => {
    const [live, other] = [service(), service()];
    const first = watcher('acc_1');
    live.watch(first);
    await pass(0);
    const id = first.told[0]?.id ?? '';
    const [same, late, foreign] = [watcher('acc_1', id), watcher('acc_1', id), watcher('acc_1', 'anything')];
    other.watch(same);
    other.watch(foreign);
    await pass(0);
    expect([same.told, foreign.told].map(([event]) => event?.type)).toEqual(['ready', 'missed']);
    marks = [mark('acc_1', 'people', 'lst_1', 'b')];
    other.watch(late);
    await pass(2_000);
    expect(late.told).toMatchObject([{ type: 'missed' }]);
    await Promise.all([live.close(), other.close()]);
  });

  it('stay through a failure and a saturated database', async () => {
    const live = service();
    const one = watcher('acc_1');
    failure = new Error('no database');
    live.watch(one);
    await pass(0);
    expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
    failure = null;
    isSaturated = true;
    await pass(10_000);
    expect(asked).toHaveLength(1);
    isSaturated = false;
    await pass(10_000);
    expect(one.told.map(({ type }) => type)).toEqual(['ready']);
    await live.close();
  });

  it('are at most 50 of an account', () => {
    const live = service();
    const stops = Array.from({ length: 50 }, () => live.watch(watcher('acc_1')));
    expect(() => live.watch(watcher('acc_1'))).toThrow('rate-limited');
    live.watch(watcher('acc_2'));
    stops[0]?.();
    live.watch(watcher('acc_1'));
  });

  it('are ended when the node stops, and none are taken after', async () => {
    const live = service();
    const one = watcher('acc_1');
    live.watch(one);
    await live.close();
    expect(one.end).toHaveBeenCalledOnce();
    expect(() => live.watch(watcher('acc_1'))).toThrow('not-ready');
    await pass(60_000);
    expect(asked).toEqual([]);
  });
});

describe('routes', () => {
  it('does not watch for a caller who left before the stream began', async () => {
    const stop = vi.fn();
    const recheck = vi.fn(() => Promise.resolve());
    const handlers = liveHandlers({ live: { watch: () => stop, close: () => Promise.resolve() } });
    const app = express();
    let handled: () => void = () => undefined;
    const isHandled = new Promise<void>((resolve) => {
      handled = resolve;
    });
    app.get('/', async (request, response) => {
      // As while a slow database looks the credential up.
      await once(response, 'close');
      handlers.streamChanges({ caller: { accountId: 'acc_1' }, request, response, recheck } as never);
      handled();
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const gone = new AbortController();
      const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
      const asked = fetch(`http://127.0.0.1:${port}/`, { signal: gone.signal });
      await arrived;
      gone.abort();
      await expect(asked).rejects.toThrow();
      await isHandled;
      expect(stop).toHaveBeenCalled();
    } finally {
      server.close();
    }
  });
});
