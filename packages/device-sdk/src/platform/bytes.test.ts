import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromBase64Url, sameBytes, toBase64Url } from './bytes.ts';

const bytes = fc.uint8Array({ maxLength: 70 });

describe('base64url', () => {
  it('is RFC 4648’s, without padding', () => {
    fc.assert(fc.property(bytes, (data) => toBase64Url(data) === Buffer.from(data).toString('base64url')));
  });

  it('decodes what it encodes', () => {
    fc.assert(
      fc.property(bytes, (data) => Buffer.compare(fromBase64Url(toBase64Url(data)) ?? Buffer.of(0), data) === 0),
    );
  });

  it.each(['A', 'AAAAA', 'AB', 'AAB', 'A=', 'AA==', 'A A', 'A+/A', 'é', 'AAA\n'])(
    'takes nothing but its one form: %j',
    (text) => {
      expect(fromBase64Url(text)).toBeNull();
    },
  );
});

describe('bytes', () => {
  it('are the same only in length and content', () => {
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(sameBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
    expect(sameBytes(new Uint8Array(), new Uint8Array())).toBe(true);
  });

  it('are joined in order', () => {
    expect(concatBytes(Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
  });
});
