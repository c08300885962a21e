import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cache } from './client.ts';
import { followChanges, isChangedBy, PAUSE_MS, POLL_MS } from './live.ts';
import { readKey } from './operations.ts';

class FakeSource {
  static readonly CLOSED = 2;
  readyState = 0;
  isClosed = false;
  readonly #listeners = new Map<string, (event: { readonly data?: unknown }) => void>();
  constructor() {
    sources.push(this);
  }
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void {
    this.#listeners.set(type, listener);
  }
  close(): void {
    this.isClosed = true;
  }
  send(type: string, data?: object): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(data) });
  }
  /** As after an answer other than 200. */
  refuse(): void {
    this.readyState = 2;
    this.send('error');
  }
}

let sources: FakeSource[];
let stop: () => void;
const page = {
  visibilityState: 'visible',
  addEventListener: (_: string, listener: () => void) => (look = listener),
  removeEventListener() {},
};
let look = () => {};
const last = () => sources.at(-1) as FakeSource;
const pass = (ms: number) => vi.advanceTimersByTime(ms);
const show = (visibilityState: 'visible' | 'hidden') => {
  page.visibilityState = visibilityState;
  look();
};
/** How often the doors of this list were read again. */
let reads: number;

beforeEach(() => {
  vi.useFakeTimers();
  sources = [];
  reads = 0;
  page.visibilityState = 'visible';
  vi.stubGlobal('document', page);
  vi.stubGlobal('EventSource', FakeSource);
  const queryKey = readKey('listDevices', { params: { listId: 'lst_1' } });
  vi.spyOn(cache, 'invalidateQueries').mockImplementation(async (filters) => {
    if (filters?.predicate?.({ queryKey } as never)) reads += 1;
  });
  stop = followChanges();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('a stream tells of changes, which are read at most every three seconds, the last one too', () => {
  last().send('ready');
  // What was read before the stream.
  expect(reads).toBe(1);
  pass(PAUSE_MS);
  for (let n = 0; n < 5; n += 1) last().send('changed', { topic: 'doors', listId: 'lst_1' });
  last().send('changed', { topic: 'doors', listId: 'lst_2' });
  expect(reads).toBe(2);
  pass(POLL_MS);
  expect([sources.length, reads]).toEqual([1, 3]);
  last().send('missed');
  expect(reads).toBe(4);
});

it('a stream is not held by a page that stays hidden, and another one catches up', () => {
  last().send('ready');
  show('hidden');
  pass(10_000);
  show('visible');
  pass(60_000);
  expect(last().isClosed).toBe(false);
  show('hidden');
  pass(60_000);
  expect([last().isClosed, reads]).toEqual([true, 1]);
  show('visible');
  last().send('ready');
  expect([sources.length, reads]).toEqual([2, 2]);
});

it('the page polls while it is visible and the connection is lost', () => {
  last().send('ready');
  last().send('error');
  pass(2 * POLL_MS);
  expect(reads).toBe(3);
  page.visibilityState = 'hidden';
  pass(POLL_MS);
  last().send('ready');
  pass(2 * POLL_MS);
  expect([sources.length, reads]).toEqual([1, 3]);
});

it('after a refusal the page asks for another stream less and less often, and at once when it is looked at', () => {
  for (const [waitMs, count] of [
    [5_000, 1],
    [10_000, 2],
    [20_000, 3],
  ] as const) {
    last().refuse();
    pass(waitMs - 1);
    expect(sources).toHaveLength(count);
    pass(1);
    expect(sources).toHaveLength(count + 1);
  }
  last().refuse();
  show('hidden');
  show('visible');
  expect(sources).toHaveLength(5);
});

it.each([
  [true, 'doors', readKey('listDevices', { params: { listId: 'lst_1' }, query: { limit: 200 } })],
  [false, 'doors', readKey('listDevices', { params: { listId: 'lst_2' } })],
  [false, 'doors', readKey('listPeople', { params: { listId: 'lst_1' } })],
  [true, 'doors', readKey('getEvent', { params: { eventId: 'evt_1' } })],
  [true, 'people', readKey('listLists')],
  [true, 'people', [...readKey('listPeople', { params: { listId: 'lst_1' } }), 'pages']],
  [false, 'people', readKey('getGuestSummary', { params: { listId: 'lst_2' } })],
  [false, 'people', readKey('listWebhooks')],
  [false, 'people', ['something else']],
] as const)('whether a read is concerned: %s, %s, %j', (expected, topic, queryKey) => {
  expect(isChangedBy({ queryKey }, { topic, listId: 'lst_1' })).toBe(expected);
});

it('links of an event change the guests of a list', () => {
  const queryKey = readKey('getGuestSummary', { params: { listId: 'lst_1' } });
  expect(isChangedBy({ queryKey }, { topic: 'guests', eventId: 'evt_1' })).toBe(true);
});
