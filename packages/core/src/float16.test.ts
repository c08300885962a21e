import { describe, expect, it } from 'vitest';
import { decodeFloat16, encodeFloat16 } from './float16.ts';

const bytesOf = (bits: number): Uint8Array => Uint8Array.of(bits & 0xff, bits >> 8);
const decode = (bits: number): number => decodeFloat16(bytesOf(bits))[0] ?? Number.NaN;
const encode = (value: number): number => {
  const bytes = encodeFloat16(Float32Array.of(value));
  return (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
};

/** The definition in IEEE 754-2019 3.4, without bit operations. */
function definition(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

describe('binary16', () => {
  it('decodes all 65,536 values as defined, and encodes each back', () => {
    for (let bits = 0; bits < 65_536; bits++) {
      const value = decode(bits);
      const expected = definition(bits);
      if (!Object.is(value, expected)) expect.fail(`${bits} decodes to ${value}, not ${expected}`);
      const again = encode(value);
      const same = Number.isNaN(expected) ? Number.isNaN(decode(again)) : again === bits;
      if (!same) expect.fail(`${bits} comes back as ${again}`);
    }
  });

  it('rounds to the nearest, ties to even, between all neighbours', () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const [low, high] = [decode(bits), decode(bits + 1)];
      const middle = (low + high) / 2;
      const even = bits % 2 === 0 ? bits : bits + 1;
      if (encode(middle) !== even) expect.fail(`tie above ${bits}`);
      if (encode(-middle) !== (even | 0x8000)) expect.fail(`negative tie above ${bits}`);
      const step = (high - low) / 256;
      if (encode(middle - step) !== bits || encode(middle + step) !== bits + 1) expect.fail(`neighbours of ${bits}`);
    }
  });

  it('overflows to infinity from 65520 on, and underflows to zero with its sign', () => {
    expect(encode(65_519.996)).toBe(0x7bff);
    expect(encode(65_520)).toBe(0x7c00);
    expect(encode(-3e38)).toBe(0xfc00);
    expect(encode(2 ** -25)).toBe(0);
    expect(encode(2 ** -25 * 1.0001)).toBe(1);
    expect(encode(-1e-40)).toBe(0x8000);
    expect(Number.isNaN(decode(encode(Number.NaN)))).toBe(true);
  });

  it('takes empty input and refuses half an element', () => {
    expect(encodeFloat16(new Float32Array())).toHaveLength(0);
    expect(decodeFloat16(new Uint8Array())).toHaveLength(0);
    expect(() => decodeFloat16(new Uint8Array(3))).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('reads views at odd offsets', () => {
    const around = Uint8Array.of(9, 0x00, 0x3c, 0x00, 0xc0);
    expect([...decodeFloat16(around.subarray(1))]).toEqual([1, -2]);
  });
});
