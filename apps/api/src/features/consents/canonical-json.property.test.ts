import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './chain.ts';

const text = fc.string({ unit: 'binary' }).filter((value) => !/\p{Surrogate}/u.test(value));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.maxSafeInteger(),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('any'), { maxKeys: 5, noNullPrototype: true }),
}));

describe('the canonical form', () => {
  it('is JSON of the same value', () =>
    fc.assert(
      fc.property(fc.dictionary(text, value.any, { noNullPrototype: true }), (object) => {
        expect(JSON.parse(canonicalJson(object).toString('utf8'))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    ));

  it('does not depend on the order of members', () =>
    fc.assert(
      fc.property(fc.dictionary(text, value.any, { noNullPrototype: true }), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed());
        expect(canonicalJson(reversed)).toEqual(canonicalJson(object));
      }),
    ));

  it('is that of the example in RFC 8785 section 3.2.3', () => {
    const unsorted = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(unsorted).toString('utf8')).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    );
  });

  it('escapes what JSON must escape and nothing else', () => {
    expect(canonicalJson(['\b\t\n\f\r"\\/\u0000\u001f\u007f\u2028é']).toString('utf8')).toBe(
      '["\\b\\t\\n\\f\\r\\"\\\\/\\u0000\\u001f\u007f\u2028é"]',
    );
  });

  it.each([[['\ud800']], [[Number.NaN]], [{ a: Number.POSITIVE_INFINITY }]])('has none for %j', (object) => {
    expect(() => canonicalJson(object)).toThrow();
  });
});
