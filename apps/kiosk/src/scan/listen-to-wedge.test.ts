import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenToWedge } from './listen-to-wedge.ts';

/** What of an element the listener looks at. */
class FakeElement {
  readonly isContentEditable = false;
  readonly #tag: string;

  constructor(tag: string) {
    this.#tag = tag;
  }

  matches(tags: string): boolean {
    return tags.split(', ').includes(this.#tag);
  }
}

let codes: string[];
let press: (tag: string, keys: readonly string[]) => readonly string[];
let stop: () => void;

beforeEach(() => {
  let onKeyDown: (event: unknown) => void = () => undefined;
  vi.stubGlobal('HTMLElement', FakeElement);
  vi.stubGlobal('window', {
    setTimeout,
    addEventListener: (_type: string, listener: typeof onKeyDown) => {
      onKeyDown = listener;
    },
    removeEventListener: () => undefined,
  });
  codes = [];
  stop = listenToWedge((code) => codes.push(code));
  let atMs = 1_000;
  /** @returns the keys that the page was left */
  press = (tag, keys) =>
    keys.filter((key) => {
      let left = true;
      const preventDefault = () => {
        left = false;
      };
      atMs += 8;
      onKeyDown({
        target: new FakeElement(tag),
        key,
        timeStamp: atMs,
        preventDefault,
        stopPropagation: () => undefined,
      });
      return left;
    });
});

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

describe('what a reader types', () => {
  it.each(['body', 'button', 'select'])('is a code where the focus is on a %s', (tag) => {
    press(tag, [...'ticket', 'Enter']);
    expect(codes).toEqual(['ticket']);
  });

  it.each(['input', 'textarea'])('is left to a text field (%s)', (tag) => {
    const keys = [...'ticket', 'Enter'];
    expect(press(tag, keys)).toEqual(keys);
    expect(codes).toEqual([]);
  });

  it('chooses nothing in a list, whose arrows, blank and Tab are left to people', () => {
    expect(press('select', [...'deutsch', 'Enter'])).toEqual([]);
    const own = ['ArrowDown', ' ', 'Tab'];
    expect(press('select', own)).toEqual(own);
  });
});
