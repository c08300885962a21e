import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPressGuard } from './press-guard.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An element that notes its attributes, with a control whose own listener comes after the guard's. */
function setUp() {
  const attributes = new Set<string>();
  const app = Object.assign(new EventTarget(), {
    toggleAttribute: (name: string, isSet?: boolean) =>
      isSet ? attributes.add(name).has(name) : attributes.delete(name),
  });
  const guard = createPressGuard(app as unknown as HTMLElement);
  let acted = 0;
  app.addEventListener('click', (event) => {
    if (!event.defaultPrevented) acted += 1;
  });
  return {
    guard,
    attributes,
    pass: (ms: number) => vi.advanceTimersByTime(ms),
    /** @param agoMs how late the page handles it */
    press(agoMs = 0) {
      const before = acted;
      const event = new Event('click', { cancelable: true });
      Object.defineProperty(event, 'timeStamp', { value: performance.now() - agoMs });
      app.dispatchEvent(event);
      return acted > before ? 'acts' : 'ignored';
    },
  };
}

it('a screen’s controls act, except in its first half second', () => {
  const { guard, attributes, pass, press } = setUp();
  expect(press()).toBe('acts');
  guard.begin();
  expect(attributes.has('data-fresh')).toBe(true);
  expect(press()).toBe('ignored');
  pass(499);
  expect(press()).toBe('ignored');
  pass(1);
  expect(press()).toBe('acts');
  expect(attributes.has('data-fresh')).toBe(false);
});

it('each screen has its own half second', () => {
  const { guard, pass, press } = setUp();
  guard.begin();
  pass(300);
  guard.begin();
  pass(300);
  expect(press()).toBe('ignored');
  pass(200);
  expect(press()).toBe('acts');
});

it('a press that a busy page handles late is of the screen that it was made on', () => {
  const { guard, pass, press } = setUp();
  guard.begin();
  pass(900);
  expect(press(700)).toBe('ignored');
  expect(press(400)).toBe('acts');
});
