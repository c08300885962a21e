import { describe, expect, it } from 'vitest';
import { bytes, global, integer, pickle, text, tuple } from '../testing/pickle-writer.ts';
import { readPickle } from './pickle.ts';

const read = (...parts: readonly (number | string | Uint8Array)[]): unknown => readPickle(pickle(...parts), 0).value;

describe('readPickle', () => {
  it('reads scalars', () => {
    expect(read('N')).toBeNull();
    expect(read(0x88)).toBe(true);
    expect(read(0x89)).toBe(false);
    expect(read('K', 255)).toBe(255);
    expect(read('M', Uint8Array.of(1, 2))).toBe(513);
    expect(read(integer(-2))).toBe(-2);
    expect(read(0x8a, 2, Uint8Array.of(0x00, 0xff))).toBe(-256n);
    expect(read(0x8a, 0)).toBe(0n);
    expect(read(text('Größe'))).toBe('Größe');
  });

  it('reads tuples, lists and dictionaries', () => {
    expect(read(')')).toEqual([]);
    expect(read('K', 1, 'K', 2, 'K', 3, 0x87)).toEqual([1, 2, 3]);
    expect(read('K', 1, 'K', 2, 0x86)).toEqual([1, 2]);
    expect(read('](', 'K', 1, 'K', 2, 'e', 'K', 3, 'a')).toEqual([1, 2, 3]);
    expect(read('}', text('a'), 'K', 1, 's', '(', text('b'), 'K', 2, 'u')).toEqual(
      new Map(Object.entries({ a: 1, b: 2 })),
    );
  });

  it('recalls what was memoised, and a list stays the same list', () => {
    expect(read(']', 'q', 7, 'K', 1, 'a', 'h', 7, 0x86)).toEqual([[1], [1]]);
  });

  it('records names and calls and makes none', () => {
    expect(read(global('os', 'system'), tuple(text('true')), 'R')).toEqual({
      kind: 'call',
      callee: 'os.system',
      args: ['true'],
    });
    expect(read(global('collections', 'OrderedDict'), ')R')).toEqual(new Map());
  });

  it('tells where the pickle ends', () => {
    const two = bytes(pickle('K', 1), pickle('K', 2));
    const first = readPickle(two, 0);
    expect(readPickle(two, first.end)).toEqual({ value: 2, end: two.length });
  });

  it.each([
    ['INST', [bytes('(ios\nsystem\n')]],
    ['OBJ', [bytes('('), global('os', 'system'), 'o']],
    ['NEWOBJ', [global('os', 'system'), ')', 0x81]],
    ['EXT1', [0x82, 1]],
    ['a call of what is no name', ['K', 1, ')R']],
    ['a call without a tuple', [global('a', 'b'), 'K', 1, 'R']],
    ['an empty stack', ['a']],
    ['a tuple without mark', ['K', 1, 't']],
    ['a mark as value', ['(', 0x85]],
    ['an unknown memo', ['h', 3]],
    ['items for no dictionary', ['](', 'K', 1, 'K', 2, 'u']],
    ['an odd number of items', ['}(', 'K', 1, 'u']],
    ['broken UTF-8', ['X', Uint8Array.of(1, 0, 0, 0, 0xff)]],
    ['a text longer than the file', ['X', Uint8Array.of(0xff, 0xff, 0xff, 0xff)]],
  ])('refuses %s', (_, parts) => {
    expect(() => read(...parts)).toThrow(Error);
  });

  it('refuses another protocol and a pickle without end', () => {
    expect(() => readPickle(bytes(0x80, 4, 'N.'), 0)).toThrow('pickle');
    expect(() => readPickle(bytes(0x80, 2, 'N'), 0)).toThrow('pickle');
    expect(() => readPickle(new Uint8Array(0), 0)).toThrow('pickle');
  });
});
