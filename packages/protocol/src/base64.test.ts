import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { decodeBase64, isBase64 } from './base64.ts';

/** RFC 4648 section 4, padding optional; line breaks are removed before. */
const PATTERN = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/;
const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

describe('base64', () => {
  it('agrees with the definition on anything, and with Node on what it reads', () => {
    const char = fc.constantFrom(...'AZaz09+/=-_ \n\r\0\u0141\u00c1!');
    fc.assert(
      fc.property(fc.array(char, { maxLength: 12 }), (chars) => {
        const text = chars.join('');
        const withoutBreaks = text.replaceAll(/[\r\n]/g, '');
        const isRight = withoutBreaks !== '' && PATTERN.test(withoutBreaks);
        expect(isBase64(text)).toBe(isRight);
        if (isRight) expect(Buffer.from(decodeBase64(ascii(text)) ?? [])).toEqual(Buffer.from(text, 'base64'));
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat({ max: 80 }), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64');
        const wrapped = width === 0 ? text : text.replaceAll(new RegExp(`.{1,${width}}`, 'g'), '$&\r\n');
        expect(Buffer.from(decodeBase64(ascii(wrapped)) ?? [])).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('leaves nothing of a text that it refuses', () => {
    const text = ascii(`${'QUJD'.repeat(100)}*`);
    const filled = vi.spyOn(Uint8Array.prototype, 'fill');
    expect(decodeBase64(text)).toBeNull();
    const [out] = filled.mock.contexts as Uint8Array[];
    filled.mockRestore();
    expect(out).toHaveLength(301);
    expect(out?.every((byte) => byte === 0)).toBe(true);
  });
});
