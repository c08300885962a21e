import { describe, expect, it } from 'vitest';
import { fromBase64Url, sameBytes } from './bytes.ts';

describe('base64url', () => {
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
});
