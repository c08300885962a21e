import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isChangedBy, LiveConnection, type LiveSource, PAUSE_MS, POLL_MS } from './live.ts';
import { readKey } from './operations.ts';

class FakeSource implements LiveSource {
  readyState = 0;
  readonly #listeners = new Map<string, (event: { readonly data?: unknown }) => void>();
  isClosed = false;
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
let isVisible: boolean;
let onVisibility: () => void;
const last = () => sources.at(-1) as FakeSource;
const pass = (ms: number) => vi.advanceTimersByTime(ms);

function connect(hasEventSource = true) {
  return new LiveConnection({
    open: hasEventSource
      ? () => {
          sources.push(new FakeSource());
          return last();
        }
      : null,
    isVisible: () => isVisible,
    onVisibility: (listener) => {
      onVisibility = listener;
    },
  });
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 20) });
  sources = [];
  isVisible = true;
});
afterEach(() => vi.useRealTimers());

const doors = (subject: string | null = 'lst_1') => ({ topic: 'doors' as const, subject, onChange: vi.fn() });
const changed = (listId = 'lst_1') => last().send('changed', { topic: 'doors', listId });

describe('the stream of changes', () => {
  it('is one for all that is shown, and tells each what is its own', () => {
    const live = connect();
    const [one, two, all] = [doors(), doors('lst_2'), doors(null)];
    for (const interest of [one, two, all]) live.watch(interest);
    expect(sources).toHaveLength(1);
    last().send('ready');
    pass(PAUSE_MS);
    for (const { onChange } of [one, two, all]) onChange.mockClear();
    changed();
    last().send('changed', { topic: 'people', listId: 'lst_1' });
    expect([one, two, all].map(({ onChange }) => onChange.mock.calls.length)).toEqual([1, 0, 1]);
  });

  it('reads again what was read before it began: nobody has told of changes until then', () => {
    const live = connect();
    const interest = doors();
    live.watch(interest);
    expect(interest.onChange).not.toHaveBeenCalled();
    last().send('ready');
    expect(interest.onChange).toHaveBeenCalledTimes(1);
  });

  it('reads the same thing again at most every three seconds, and the last change too', () => {
    const live = connect();
    const interest = doors();
    live.watch(interest);
    for (let n = 0; n < 5; n += 1) changed();
    expect(interest.onChange).toHaveBeenCalledTimes(1);
    pass(PAUSE_MS);
    expect(interest.onChange).toHaveBeenCalledTimes(2);
    pass(10 * PAUSE_MS - POLL_MS);
    expect(interest.onChange.mock.calls.length).toBeLessThan(5);
  });

  it('ends when nothing is shown any more, but not between two pages', () => {
    const live = connect();
    const stop = live.watch(doors());
    last().send('ready');
    stop();
    const stopNext = live.watch(doors('lst_2'));
    pass(60_000);
    expect([sources.length, last().isClosed]).toEqual([1, false]);
    stopNext();
    pass(60_000);
    expect(last().isClosed).toBe(true);
    // What comes later may have changed meanwhile.
    const interest = doors();
    live.watch(interest);
    last().send('ready');
    expect([sources.length, interest.onChange.mock.calls.length]).toEqual([2, 1]);
  });

  it('is not held by a hidden page, and catches up', () => {
    const live = connect();
    const interest = doors();
    live.watch(interest);
    last().send('ready');
    interest.onChange.mockClear();
    isVisible = false;
    onVisibility();
    pass(10_000);
    isVisible = true;
    onVisibility();
    pass(60_000);
    expect(last().isClosed).toBe(false);
    isVisible = false;
    onVisibility();
    pass(60_000);
    expect(last().isClosed).toBe(true);
    expect(interest.onChange).not.toHaveBeenCalled();
    isVisible = true;
    onVisibility();
    expect(sources).toHaveLength(2);
    last().send('ready');
    expect(interest.onChange).toHaveBeenCalledOnce();
  });
});

it('a refused stream is asked for again though the page was hidden or nothing was shown for a moment', () => {
  const live = connect();
  const stop = live.watch(doors());
  last().refuse();
  isVisible = false;
  onVisibility();
  isVisible = true;
  onVisibility();
  expect(sources).toHaveLength(2);
  last().refuse();
  stop();
  live.watch(doors('lst_2'));
  pass(60_000);
  expect([sources.length, last().isClosed]).toEqual([3, false]);
});

describe('without a stream', () => {
  it('everything that is shown is read again from time to time, where the browser knows no EventSource', () => {
    const live = connect(false);
    const interest = doors();
    const stop = live.watch(interest);
    pass(POLL_MS);
    isVisible = false;
    pass(POLL_MS);
    isVisible = true;
    pass(POLL_MS);
    expect(interest.onChange).toHaveBeenCalledTimes(2);
    stop();
    pass(10 * POLL_MS);
    expect(interest.onChange).toHaveBeenCalledTimes(2);
  });

  it('it polls while the connection is lost, and stops when it is back', () => {
    const live = connect();
    const interest = doors();
    live.watch(interest);
    last().send('ready');
    interest.onChange.mockClear();
    pass(2 * POLL_MS);
    expect(interest.onChange).not.toHaveBeenCalled();
    last().send('error');
    pass(2 * POLL_MS);
    expect(interest.onChange).toHaveBeenCalledTimes(2);
    last().send('ready');
    pass(2 * POLL_MS);
    expect([sources.length, interest.onChange.mock.calls.length]).toEqual([1, 2]);
    last().send('error');
    last().send('missed');
    expect(interest.onChange).toHaveBeenCalledTimes(3);
  });

  it('it asks for another stream less and less often after a refusal, and polls meanwhile', () => {
    const live = connect();
    const interest = doors();
    live.watch(interest);
    last().refuse();
    pass(4_999);
    expect(sources).toHaveLength(1);
    pass(1);
    expect(sources).toHaveLength(2);
    last().refuse();
    pass(10_000);
    last().refuse();
    pass(19_999);
    expect(sources).toHaveLength(3);
    expect(interest.onChange.mock.calls.length).toBeGreaterThan(0);
    pass(1);
    const before = interest.onChange.mock.calls.length;
    pass(PAUSE_MS);
    last().send('ready');
    expect([sources.length, interest.onChange.mock.calls.length]).toEqual([4, before + 1]);
  });
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
