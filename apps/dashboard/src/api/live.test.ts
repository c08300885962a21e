import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isChangedBy, LiveConnection, PAUSE_MS, POLL_MS } from './live.ts';
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
const page = { visibilityState: 'visible', addEventListener: (_: string, listener: () => void) => (look = listener) };
let look = () => {};
let live: LiveConnection;
const last = () => sources.at(-1) as FakeSource;
const pass = (ms: number) => vi.advanceTimersByTime(ms);
const show = (visibilityState: 'visible' | 'hidden') => {
  page.visibilityState = visibilityState;
  look();
};

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 20) });
  sources = [];
  page.visibilityState = 'visible';
  vi.stubGlobal('document', page);
  vi.stubGlobal('EventSource', FakeSource);
  live = new LiveConnection();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Something that is shown, and how often it was read again. */
function watch(subject: string | null = 'lst_1') {
  const onChange = vi.fn();
  const stop = live.watch({ topic: 'doors', subject, onChange });
  return { stop, reads: () => onChange.mock.calls.length };
}
const changed = (listId = 'lst_1') => last().send('changed', { topic: 'doors', listId });

it('one stream tells each its own, at most every three seconds, and the last change too', () => {
  const all = [watch(), watch('lst_2'), watch(null)];
  expect(sources).toHaveLength(1);
  last().send('ready');
  // Nobody has told of changes until then.
  expect(all.map(({ reads }) => reads())).toEqual([1, 1, 1]);
  pass(PAUSE_MS);
  for (let n = 0; n < 5; n += 1) changed();
  last().send('changed', { topic: 'people', listId: 'lst_2' });
  expect(all.map(({ reads }) => reads())).toEqual([2, 1, 2]);
  pass(POLL_MS);
  expect(all.map(({ reads }) => reads())).toEqual([3, 1, 3]);
});

it('a stream ends when nothing is shown any more, but not between two pages', () => {
  const first = watch();
  last().send('ready');
  first.stop();
  const next = watch('lst_2');
  pass(60_000);
  expect([sources.length, last().isClosed]).toEqual([1, false]);
  next.stop();
  pass(60_000);
  expect(last().isClosed).toBe(true);
  // What comes later may have changed meanwhile.
  const later = watch();
  last().send('ready');
  expect([sources.length, later.reads()]).toEqual([2, 1]);
});

it('a stream is not held by a page that stays hidden, and another one catches up', () => {
  const { reads } = watch();
  last().send('ready');
  show('hidden');
  pass(10_000);
  show('visible');
  pass(60_000);
  expect(last().isClosed).toBe(false);
  show('hidden');
  pass(60_000);
  expect([last().isClosed, reads()]).toEqual([true, 1]);
  show('visible');
  last().send('ready');
  expect([sources.length, reads()]).toEqual([2, 2]);
});

it('a refused stream is asked for again though the page was hidden or nothing was shown for a moment', () => {
  const { stop } = watch();
  last().refuse();
  show('hidden');
  show('visible');
  expect(sources).toHaveLength(2);
  last().refuse();
  stop();
  watch('lst_2');
  pass(60_000);
  expect([sources.length, last().isClosed]).toEqual([3, false]);
});

it('a visible page without EventSource polls', () => {
  vi.stubGlobal('EventSource', undefined);
  const { stop, reads } = watch();
  pass(POLL_MS);
  page.visibilityState = 'hidden';
  pass(POLL_MS);
  page.visibilityState = 'visible';
  pass(POLL_MS);
  stop();
  pass(10 * POLL_MS);
  expect(reads()).toBe(2);
});

it('the page polls while the connection is lost, and reads again what was missed', () => {
  const { reads } = watch();
  last().send('ready');
  pass(2 * POLL_MS);
  expect(reads()).toBe(1);
  last().send('error');
  pass(2 * POLL_MS);
  expect(reads()).toBe(3);
  last().send('ready');
  pass(2 * POLL_MS);
  expect([sources.length, reads()]).toEqual([1, 3]);
  last().send('missed');
  expect(reads()).toBe(4);
});

it('after a refusal the page asks for another stream less and less often', () => {
  watch();
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
});

it.each([
  [true, 'doors', readKey('listDevices', { params: { listId: 'lst_1' }, query: { limit: 200 } })],
  [false, 'doors', readKey('listDevices', { params: { listId: 'lst_2' } })],
  [false, 'doors', readKey('listPeople', { params: { listId: 'lst_1' } })],
  [true, 'doors', readKey('getEvent', { params: { eventId: 'evt_1' } })],
  [true, 'people', readKey('listLists')],
  [true, 'people', [...readKey('listPeople', { params: { listId: 'lst_1' } }), 'pages']],
  [false, 'people', readKey('listWebhooks')],
  [false, 'webhooks', readKey('getSession')],
  [false, 'webhooks', ['something else']],
] as const)('whether a read is concerned: %s, %s, %j', (expected, topic, queryKey) => {
  expect(isChangedBy({ queryKey }, topic, 'lst_1')).toBe(expected);
});
