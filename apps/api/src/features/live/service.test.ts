import { EventEmitter } from 'node:events';
import { type ApiKeyScope, apiKeyScopes, type LiveTopic, liveTopicScopes } from '@svc/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../platform/errors.ts';
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

function watcher(accountId: string, lastEventId: string | null = null, scopes: readonly ApiKeyScope[] | null = null) {
  const told: LiveEvent[] = [];
  return {
    told,
    end: vi.fn(),
    ...{ accountId, lastEventId, scopes },
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

  it.each(apiKeyScopes)('are told with %s alone of the topics that it reads, and of nothing else', async (scope) => {
    const topics = Object.keys(liveTopicScopes) as LiveTopic[];
    const mine = topics.filter((topic) => liveTopicScopes[topic] === scope);
    const live = service();
    const one = watcher('acc_1', null, [scope]);
    live.watch(one);
    await pass(0);
    marks = topics.map((topic) => mark('acc_1', topic, 'subject', 'b'));
    await pass(2_000);
    const told = one.told.slice(1).map((event) => event.type === 'changed' && event.change.topic);
    expect([...new Set(told)]).toEqual(mine);
    // Nor does the id tell of other topics.
    const again = watcher('acc_1', one.told.at(-1)?.id, [scope]);
    marks = marks.filter(({ topic }) => mine.includes(topic));
    live.watch(again);
    await pass(2_000);
    expect(again.told).toMatchObject([{ type: 'ready' }]);
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
  /** A stream that was begun, with what was written to it. */
  function begin(o: object, recheck: () => Promise<void> = () => Promise.resolve()) {
    const [written, stop, end]: [string[], typeof onError, typeof onError] = [[], vi.fn(), vi.fn()];
    const response = Object.assign(new EventEmitter(), {
      ...{ writableLength: 0, writableEnded: false, destroyed: false, locals: {}, set: () => undefined, end },
      write: (text: string) => written.push(text),
      ...o,
    });
    const call = {
      caller: { accountId: 'acc_1', rights: { scopes: null } },
      request: { method: 'GET', get: () => undefined },
      response,
      recheck,
    };
    const { streamChanges } = liveHandlers({ live: { watch: () => stop, close: () => Promise.resolve() } });
    streamChanges(call as never);
    return { written, stop, end };
  }

  it('do not watch for a caller who left while its credential was looked up', () => {
    const { written, stop } = begin({ destroyed: true });
    expect(stop).toHaveBeenCalled();
    expect(written).toEqual([]);
  });

  it('ask at each heartbeat whether the caller may still read, and end the stream if not', async () => {
    const answers = [null, new Error('no database'), new ServiceError('invalid-credential')];
    const { written, stop, end } = begin({}, async () => {
      const refusal = answers.shift();
      if (refusal) throw refusal;
    });
    await pass(30_000);
    expect(written.slice(1)).toEqual([':\n\n', ':\n\n']);
    expect(end).not.toHaveBeenCalled();
    await pass(15_000);
    expect(end).toHaveBeenCalled();
    expect(stop).toHaveBeenCalled();
  });
});
