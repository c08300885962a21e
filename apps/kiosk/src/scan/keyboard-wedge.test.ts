import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyboardWedge, listenToWedge } from './keyboard-wedge.ts';

/** The parts of an element that the listener reads. */
class FakeElement {
  readonly isContentEditable = false;
  constructor(readonly tag: string) {}
  matches = (tags: string): boolean => tags.split(', ').includes(this.tag);
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
  /** @returns the keys that were left to the page */
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

describe('input of a code reader', () => {
  it('is a code wherever the focus is, but left to a text field', () => {
    press('button', [...'ticket', 'Enter']);
    expect(codes).toEqual(['ticket']);
    const keys = [...'another', 'Enter'];
    expect(press('input', keys)).toEqual(keys);
    expect(codes).toEqual(['ticket']);
  });

  it('does not select in a focused list, where arrows, blank and Tab still work for people', () => {
    expect(press('select', [...'deutsch', 'Enter'])).toEqual([]);
    const own = ['ArrowDown', ' ', 'Tab'];
    expect(press('select', own)).toEqual(own);
  });
});

/** Sends keys at a fixed interval. @returns the scanned codes and the keys withheld from the page */
function type(keys: readonly string[], gapMs: number, wedge = new KeyboardWedge(), fromMs = 1_000) {
  const answers = keys.map((key, i) => wedge.key(key, fromMs + i * gapMs));
  return {
    codes: answers.flatMap(({ code }) => (code === null ? [] : [code])),
    taken: answers.filter(({ taken }) => taken).length,
  };
}

describe('a code reader', () => {
  it.each(['Enter', 'Tab'])('is recognised by its speed and its %s', (end) => {
    expect(type([...'ticket-4711', end], 8)).toEqual({ codes: ['ticket-4711'], taken: 11 });
  });

  it('may send Shift for capitals', () => {
    expect(type(['Shift', 'A', 'Shift', 'B', '1', 'Enter'], 5).codes).toEqual(['AB1']);
  });

  it('may send any characters, including blanks at the ends and astral code points', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 3, maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 60 }), (code, gapMs) => {
        const keys = [...code];
        fc.pre(keys.length >= 3);
        expect(type([...keys, 'Enter'], gapMs).codes).toEqual([code]);
      }),
    );
  });

  it('may scan again immediately', () => {
    expect(type([...'first', 'Enter', ...'second', 'Enter'], 5).codes).toEqual(['first', 'second']);
  });
});

describe('a person typing', () => {
  it('is ignored at any human speed', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.integer({ min: 61, max: 2_000 }), (text, gapMs) => {
        expect(type([...text, 'Enter'], gapMs)).toEqual({ codes: [], taken: 0 });
      }),
    );
  });

  it('causes no scan by Enter alone, or by two keys at once', () => {
    expect(type(['Enter'], 0)).toEqual({ codes: [], taken: 0 });
    expect(type(['a', 'b', 'Enter'], 10).codes).toEqual([]);
  });
});

it('an unfinished run is no prefix of later input', () => {
  const wedge = new KeyboardWedge();
  type([...'ticket'], 5, wedge);
  expect(type([...'4711', 'Enter'], 5, wedge, 2_000).codes).toEqual(['4711']);
});
