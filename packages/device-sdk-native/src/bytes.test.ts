import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOf, fromBase64Url, toBase64Url } from './index.ts';

describe('base64url', () => {
  it('writes what Node writes, and reads it back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = toBase64Url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(fromBase64Url(text)).toEqual(bytes);
      }),
    );
  });

  it('reads what the schema takes, and nothing else', () => {
    const character = fc.constantFrom(...'AQgwEIMUYckosw048B-_+/=. \n', 'é', '😀', '\u0000');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 9 }), (text) => {
        let isRead = true;
        try {
          expect(toBase64Url(fromBase64Url(text))).toBe(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'message-invalid' });
          isRead = false;
        }
        expect(isRead).toBe(checkOf('Chunk')(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
