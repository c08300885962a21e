import { expect, it } from 'vitest';
import { createPressGuard } from './press-guard.ts';

/** An element that notes its attributes, and a clock that a test sets. */
function setUp() {
  const target = new EventTarget();
  const attributes = new Set<string>();
  const app = Object.assign(target, {
    toggleAttribute(name: string, isSet?: boolean) {
      if (isSet) attributes.add(name);
      else attributes.delete(name);
      return isSet === true;
    },
  });
  const timers = new Map<() => void, number>();
  let nowMs = 0;
  const later = (afterMs: number, action: () => void) => {
    timers.set(action, nowMs + afterMs);
    return () => timers.delete(action);
  };
  const guard = createPressGuard(app as unknown as HTMLElement, later, () => nowMs);
  let acted = 0;
  // A control's own listener, which comes after the guard's.
  target.addEventListener('click', (event) => {
    if (!event.defaultPrevented) acted += 1;
  });
  return {
    guard,
    attributes,
    pass(ms: number) {
      nowMs += ms;
      for (const [action, atMs] of [...timers]) {
        if (atMs > nowMs) continue;
        timers.delete(action);
        action();
      }
    },
    /** @param agoMs how late the page handles it */
    press(agoMs = 0) {
      const before = acted;
      const event = new Event('click', { cancelable: true });
      Object.defineProperty(event, 'timeStamp', { value: nowMs - agoMs });
      target.dispatchEvent(event);
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
