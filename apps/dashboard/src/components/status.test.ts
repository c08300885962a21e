import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { shownToasts, toast } from './status.tsx';

/** What the pointer or the focus is on. */
let held: object | null;

beforeEach(() => {
  held = null;
  vi.useFakeTimers();
  vi.stubGlobal('document', { querySelector: () => held });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const texts = () => shownToasts().map(({ text }) => text);

it('a message goes by itself, but not while the pointer or the focus is on it', () => {
  toast({ text: 'saved' });
  toast({ text: 'removed', onUndo: () => undefined });
  vi.advanceTimersByTime(6_000);
  expect(texts()).toEqual(['removed']);
  held = {};
  vi.advanceTimersByTime(60_000);
  expect(texts()).toEqual(['removed']);
  held = null;
  vi.advanceTimersByTime(2_000);
  expect(texts()).toEqual([]);
});

it('errors stay, however much is said after them', () => {
  toast({ text: 'failed', tone: 'bad' });
  for (const text of ['1', '2', '3', '4']) toast({ text });
  expect(texts()).toContain('failed');
  vi.advanceTimersByTime(60_000);
  expect(texts()).toEqual(['failed']);
});
