import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson, unescapeInPlace } from './json-scan.ts';

const everything = () => true;
const nothing = () => false;
const scan = (json: string, limit = 1_000, wanted = everything) => scanJson(Buffer.from(json), limit, wanted);
/** Pointers with the texts as written. */
const found = (json: string, wanted = everything) => {
  const bytes = Buffer.from(json);
  const result = scanJson(bytes, 1_000, wanted);
  return result.ok
    ? result.texts.map(({ pointer, start, end }) => [pointer, bytes.toString('utf8', start, end)])
    : result.reason;
};

describe('where strings stand', () => {
  it.each([
    ['"x"', [['', 'x']]],
    [
      ' {"a" : "x" , "b":[ "y",{"c":"z"} ] }\n',
      [
        ['/a', 'x'],
        ['/b/0', 'y'],
        ['/b/1/c', 'z'],
      ],
    ],
    [
      '{"a":"{[,:]}\\"","b":"\\\\"}',
      [
        ['/a', '{[,:]}\\"'],
        ['/b', '\\\\'],
      ],
    ],
    [
      '{"\\u0061":"x","~/":"y"}',
      [
        ['/a', 'x'],
        ['/~0~1', 'y'],
      ],
    ],
    ['{"ü😀":"ä"}', [['/ü😀', 'ä']]],
    ['{}', []],
    ['[1,-2.5e3,true,false,null,[],{}]', []],
  ])('%s', (json, texts) => {
    expect(found(json)).toEqual(texts);
    expect(found(json, nothing)).toEqual([]);
  });
});

describe('what is refused', () => {
  it.each([
    ['', 'syntax'],
    ['{', 'syntax'],
    ['"\\', 'syntax'],
    ['["never closed', 'syntax'],
    ['{"a":"x"', 'syntax'],
    ['{"a" "x"}', 'syntax'],
    ['{a:1}', 'syntax'],
    ['{"a":1,}', 'syntax'],
    ['[1,]', 'syntax'],
    ['[1 2]', 'syntax'],
    ['{"a\\x":1}', 'syntax'],
    ['{"a\nb":1}', 'syntax'],
    ['{} {}', 'syntax'],
    ['"x" "y"', 'syntax'],
    ['{"a":1,"b":2,"a":3}', 'duplicate'],
    ['{"a":1,"\\u0061":3}', 'duplicate'],
    ['{"a":[{"b":1,"b":1}]}', 'duplicate'],
    ['{"a":{"b":1},"c":{"b":1}}', []],
    ['['.repeat(16) + ']'.repeat(16), []],
    ['['.repeat(18) + ']'.repeat(18), 'structure'],
  ])('%s: %s', (json, reason) => {
    expect(found(json)).toEqual(reason);
  });

  it('more values than the limit, of whatever kind, without looking on', () => {
    expect(scan('[1,2,3]', 4).ok).toBe(true);
    expect(scan('[1,2,3]', 3)).toMatchObject({ ok: false, reason: 'structure' });
    expect(scan(`[${'[],'.repeat(100_000)}`, 10)).toMatchObject({ ok: false, reason: 'structure' });
    expect(scan(`{${'"a":1,'.repeat(2)}`, 100)).toMatchObject({
      ok: false,
      reason: 'duplicate',
      parent: '',
      name: 'a',
    });
  });
});

it('accepts whatever JSON.parse accepts, and finds its strings where they are', () => {
  const strings = (value: unknown, pointer = ''): [string, string][] => {
    if (typeof value === 'string') return [[pointer, value]];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) =>
      strings(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const json = JSON.stringify(value, null, indent);
      const read = found(json);
      const parsed: unknown = JSON.parse(json);
      expect(
        new Set(Array.isArray(read) ? read.map(([at, text]) => `${at} ${JSON.parse(`"${text}"`)}`) : [read]),
      ).toEqual(new Set(strings(parsed).map(([at, text]) => `${at} ${text}`)));
    }),
    { numRuns: 500 },
  );
});

it('never accepts a text whose strings are elsewhere than JSON.parse has them', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"b"',
    '1',
    ' ',
    'null',
    '\\u0061',
    '\\"',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const json = pieces.join('');
      let parsed: unknown;
      try {
        parsed = JSON.parse(json);
      } catch {
        return;
      }
      const read = found(json);
      if (read === 'duplicate') return;
      expect(Array.isArray(read)).toBe(true);
      expect(parsed).toBeDefined();
    }),
    { numRuns: 5_000 },
  );
});

describe('escapes', () => {
  const unescaped = (text: string) => {
    const bytes = Buffer.from(text, 'latin1');
    const end = unescapeInPlace(bytes, { pointer: '', start: 0, end: bytes.length });
    if (end === null) return null;
    expect(bytes.subarray(end).every((byte) => byte === 0)).toBe(true);
    return bytes.toString('latin1', 0, end);
  };

  it.each([
    ['abc', 'abc'],
    ['a\\/b\\/c', 'a/b/c'],
    ['a\\nb\\r\\nc', 'a\nb\r\nc'],
    ['\\u002f\\u002B', '/+'],
    ['a\\u00e9b\\ud83d', 'a\xffb\xff'],
    ['\\"\\\\\\t\\b\\f', '"\\\t\b\f'],
  ])('%s', (text, read) => {
    expect(unescaped(text)).toBe(read);
  });

  it.each(['a\nb', 'a\rb', '\\x41', '\\u12', '\\u12G4', '\\'])('%j is none', (text) => {
    expect(unescaped(text)).toBeNull();
  });
});
