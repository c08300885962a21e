import { afterEach, describe, expect, it, vi } from 'vitest';
import { attempt, attemptSoon, mediaQuery, newUuid, pageStorage, tellIfSlow, watchSize } from './optional.ts';

const refuse = () => {
  throw new DOMException('no', 'SecurityError');
};
const never = () => new Promise<string>(() => undefined);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('what a page can do without', () => {
  it.each([
    ['throws', refuse],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['never answers', never],
    ['answers late', () => new Promise<string>((resolve) => setTimeout(resolve, 3_000, 'late'))],
  ])('gives another value where it %s, and back what it got too late', async (how, ask) => {
    vi.useFakeTimers();
    const late = vi.fn();
    const answer = attemptSoon<string>(ask, 'other', 2_000, late);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toBe('other');
    expect(await attemptSoon(() => Promise.resolve('own'), 'other', 2_000, late)).toBe('own');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(late.mock.calls).toEqual(how === 'answers late' ? [['late']] : []);
  });

  it.each([
    ['missing', { get: () => undefined }],
    ['forbidden', { get: refuse }],
  ])('fails nothing where it is %s', (_how, property) => {
    for (const name of ['localStorage', 'matchMedia', 'ResizeObserver']) {
      vi.stubGlobal(name, undefined);
      Object.defineProperty(globalThis, name, { ...property, configurable: true });
    }
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(170) });
    vi.stubGlobal('addEventListener', vi.fn());
    pageStorage.setItem('a', 'b');
    expect([pageStorage.getItem('a'), pageStorage.names()]).toEqual([null, []]);
    expect(mediaQuery('(prefers-reduced-motion: reduce)').matches).toBe(false);
    expect(attempt(() => newUuid(), '')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const onSize = vi.fn();
    watchSize({} as Element, onSize);
    expect(onSize).toHaveBeenCalledOnce();
  });
});

it('a slow step is told of, and that it has ended', async () => {
  vi.useFakeTimers();
  const told: boolean[] = [];
  const quick = tellIfSlow(Promise.resolve(1), (isSlow) => told.push(isSlow));
  expect([await quick, told]).toEqual([1, []]);
  const slow = tellIfSlow(new Promise((resolve) => setTimeout(resolve, 9_000, 2)), (isSlow) => told.push(isSlow));
  await vi.advanceTimersByTimeAsync(8_000);
  expect(told).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await slow, told]).toEqual([2, [true, false]]);
});
