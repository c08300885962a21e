import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAlphabetOnly, isBase64 } from './base64.ts';

/** RFC 4648 section 4, as a pattern. */
const PATTERN = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

describe('isBase64', () => {
  it.each(['AAAA', 'AAA=', 'AA==', '+/+/', 'abcdABCD0189'])('takes %s', (text) => {
    expect(isBase64(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no padding', 'AAA'],
    ['padding alone', '===='],
    ['padding of three', 'A==='],
    ['padding within', 'AA==AAAA'],
    ['padding within a group', 'A=AA'],
    ['the URL-safe alphabet', 'AA-_'],
    ['a line break', 'AAA\n'],
    ['a space', 'AA A'],
    ['a NUL', 'AA\0A'],
    ['a letter whose low byte is one of the alphabet', 'AA\u0141A'],
    ['a letter of Latin-1', 'AA\u00c1A'],
    ['a data URL', 'data:image/jpeg;base64,AAAA'],
  ])('refuses %s', (_what, text) => {
    expect(isBase64(text)).toBe(false);
  });

  it('agrees with the definition on anything', () => {
    const char = fc.constantFrom(...'AZaz09+/=-_ \n\0\u0141\u00c1!');
    fc.assert(
      fc.property(fc.array(char, { maxLength: 12 }), (chars) => {
        const text = chars.join('');
        expect(isBase64(text)).toBe(PATTERN.test(text));
        const withoutPadding = text.replace(/={1,2}$/, '');
        expect(text.length % 4 === 0 && isAlphabetOnly(withoutPadding) && text !== '').toBe(PATTERN.test(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
