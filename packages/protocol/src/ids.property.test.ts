import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatId, ID_CHARS, type IdPrefix, idPrefixes, isId, uuidv7 } from './ids.ts';

const random10 = fc.uint8Array({ minLength: 10, maxLength: 10 });
const timeMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const prefix = fc.constantFrom<IdPrefix>(...idPrefixes);

describe('identifiers', () => {
  it('sort as their times do', () => {
    fc.assert(
      fc.property(prefix, timeMs, timeMs, random10, random10, (kind, a, b, ra, rb) => {
        fc.pre(a !== b);
        const ida = formatId(kind, uuidv7(a, ra));
        const idb = formatId(kind, uuidv7(b, rb));
        expect(ida < idb).toBe(a < b);
      }),
    );
  });

  it('are recognised under their own prefix alone', () => {
    fc.assert(
      fc.property(prefix, prefix, timeMs, random10, (kind, other, ms, random) => {
        const id = formatId(kind, uuidv7(ms, random));
        expect(id).toHaveLength(ID_CHARS);
        expect(isId(other, id)).toBe(other === kind);
      }),
    );
  });

  it('carry the time and the version of RFC 9562', () => {
    fc.assert(
      fc.property(timeMs, random10, (ms, random) => {
        const bytes = uuidv7(ms, random);
        const view = new DataView(bytes.buffer);
        expect(view.getUint32(0) * 2 ** 16 + view.getUint16(4)).toBe(ms);
        expect(view.getUint8(6) >> 4).toBe(7);
        expect(view.getUint8(8) >> 6).toBe(2);
      }),
    );
  });

  it('are 128 bits in Crockford’s base32, of a UUID of version 7 alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.boolean(), (bytes, isOne) => {
        if (isOne) bytes.set([0x70 | ((bytes[6] ?? 0) & 15), bytes[7] ?? 0, 0x80 | ((bytes[8] ?? 0) & 63)], 6);
        const text = formatId('lst', bytes);
        const digits = [...text.slice(4)].map((char) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(char));
        const number = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
        expect(number.toString(16).padStart(32, '0')).toBe(Buffer.from(bytes).toString('hex'));
        expect(isId('lst', text)).toBe((bytes[6] ?? 0) >> 4 === 7 && (bytes[8] ?? 0) >> 6 === 2);
      }),
      { numRuns: 1_000 },
    );
  });

  it('match the test vector of RFC 9562 appendix A.6', () => {
    const bytes = uuidv7(0x017f22e279b0, Uint8Array.of(0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f));
    expect(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(
      '017f22e279b07cc398c4dc0c0c07398f',
    );
  });

  it.each([
    ['empty', ''],
    ['prefix alone', 'lst_'],
    ['upper case', 'lst_01JWNAFY00E2RBG3VFK4S6Q9TZ'],
    ['excluded letter', 'lst_01jwnafy00e2rbg3vfk4s6q9tu'],
    ['above 128 bits', 'lst_81jwnafy00e2rbg3vfk4s6q9tz'],
    ['UUID of version 4', formatId('lst', Uint8Array.from([0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]))],
    ['too long', 'lst_01jwnafy00e2rbg3vfk4s6q9tz0'],
    ['trailing line feed', 'lst_01jwnafy00e2rbg3vfk4s6q9t\n'],
  ])('refuse what is none: %s', (_what, text) => {
    expect(isId('lst', text)).toBe(false);
  });

  it('refuse arguments out of their domain', () => {
    expect(() => uuidv7(-1, new Uint8Array(10))).toThrow(RangeError);
    expect(() => uuidv7(2 ** 48, new Uint8Array(10))).toThrow(RangeError);
    expect(() => uuidv7(0.5, new Uint8Array(10))).toThrow(RangeError);
    expect(() => uuidv7(0, new Uint8Array(9))).toThrow(RangeError);
    expect(() => formatId('lst', new Uint8Array(15))).toThrow(RangeError);
  });
});
