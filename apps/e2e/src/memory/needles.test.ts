import { encodeFloat16 } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { keyNeedle, NeedleFinder, numberNeedles } from './needles.ts';

const template = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i + 1) / 8);
const key = Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 3);
const needles = [...numberNeedles('template', template, encodeFloat16), keyNeedle('key', key)];
const namesIn = (memory: Buffer) => {
  const finder = new NeedleFinder(needles);
  finder.look(memory, 0x1000);
  return finder.found.map(({ name }) => name);
};
const within = (bytes: Uint8Array, before: number) => Buffer.concat([Buffer.alloc(before, 1), bytes, Buffer.alloc(9)]);

describe('NeedleFinder', () => {
  it.each([
    ['f16', encodeFloat16],
    ['f32', (values: Float32Array) => new Uint8Array(Float32Array.from(values).buffer)],
    ['f64', (values: Float32Array) => new Uint8Array(Float64Array.from(values).buffer)],
  ] as const)('finds any 16 consecutive numbers as %s, at any address', (form, encode) => {
    for (let at = 0; at + 16 <= template.length; at += 1) {
      expect(namesIn(within(encode(template.slice(at, at + 16)), at))).toEqual([`template ${form}`]);
    }
  });

  it('finds either half of a key', () => {
    expect(namesIn(within(key.slice(0, 16), 3))).toEqual(['key']);
    expect(namesIn(within(key.slice(16), 5))).toEqual(['key']);
  });

  it('finds nothing in zeros, in noise, or if one place of each piece was changed', () => {
    expect(namesIn(Buffer.alloc(65_536))).toEqual([]);
    expect(namesIn(Buffer.from(Uint8Array.from({ length: 65_536 }, (_, i) => (i * 2_654_435_761) >>> 13)))).toEqual([]);
    const changed = template.map((value, i) => (i % 8 === 4 ? value + 1 : value));
    expect(namesIn(within(new Uint8Array(changed.buffer), 0))).toEqual([]);
  });

  it('tells where and how many', () => {
    const finder = new NeedleFinder(needles);
    finder.look(within(key, 21), 0x1000);
    expect(finder.found).toEqual([{ name: 'key', address: 0x1000 + 21, pieces: 2 }]);
  });

  it('refuses needles that could occur by chance', () => {
    expect(() => new NeedleFinder([keyNeedle('short', key.slice(0, 8))])).toThrow(RangeError);
  });
});
