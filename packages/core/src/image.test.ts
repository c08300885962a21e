import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AffineTransform, PixelImage } from './image.ts';
import { type FaceCore, loadCore } from './index.ts';
import { kernelOf } from './kernel.ts';
import { patternBytes } from './testing/patterns.ts';
import { warpReference } from './testing/warp-reference.ts';

const core = await loadCore();

function noise(width: number, height: number, channels: 3 | 4 = 4): PixelImage {
  return { data: patternBytes(`noise ${width} ${height}`, width * height * channels), width, height, channels };
}

const scaling = (a: number, c: number, e: number, f: number): AffineTransform => ({ a, b: 0, c, d: 0, e, f });
const identity = scaling(1, 0, 1, 0);

function rotation(degrees: number, scale: number, centre: number): AffineTransform {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180) * scale, Math.sin((degrees * Math.PI) / 180) * scale];
  return { a: cos, b: -sin, c: centre, d: sin, e: cos, f: centre };
}

function withImage<T>(source: PixelImage, use: (image: ReturnType<FaceCore['image']>) => T): T {
  const image = core.image(source);
  try {
    return use(image);
  } finally {
    image.dispose();
  }
}

describe('warpToFloat', () => {
  const agrees = (source: PixelImage, transform: AffineTransform, edge: boolean) =>
    withImage(source, (image) => {
      const got = image.warpToFloat(transform, 9, 7, { fill: edge ? 'edge' : 'black' });
      expect(got).toEqual(warpReference(source, transform, 9, 7, edge));
    });

  it.each<[string, AffineTransform]>([
    ['identity', identity],
    ['a letterbox', scaling(4, 0, 4, -20)],
    ['far outside', scaling(1, 5000, 1, -5000)],
    ['a quarter turn', { a: 0, b: -1, c: 30, d: 1, e: 0, f: 0 }],
    ['a column again and again', { a: 0, b: 1, c: 10, d: 0, e: 1, f: 10 }],
    ['hardly a step', { a: 1e-9, b: 1, c: 10, d: 1e-9, e: 1, f: 10 }],
    ['collapsing', { a: 0, b: 0, c: 12, d: 0, e: 0, f: 12 }],
  ])('agrees with the reference bit for bit: %s', (_name, transform) => {
    for (const edge of [false, true]) agrees(noise(37, 29), transform, edge);
  });

  it('agrees with the reference bit for bit for any transform, straight or turned', () => {
    const coefficient = fc.double({ min: -4, max: 4, noNaN: true });
    const shift = fc.double({ min: -30, max: 50, noNaN: true });
    const turned = { a: coefficient, b: coefficient, c: shift, d: coefficient, e: coefficient, f: shift };
    const transforms = fc.oneof(fc.record(turned), fc.record({ ...turned, b: fc.constant(0), d: fc.constant(0) }));
    const sources = fc.constantFrom(noise(24, 18), noise(1, 1), noise(5, 40, 3));
    fc.assert(fc.property(sources, transforms, fc.boolean(), agrees), { numRuns: 400 });
  });

  it('scales and offsets, black outside too', () => {
    const data = Uint8Array.from({ length: 4 * 4 * 3 }, (_, i) => [255, 0, 51][i % 3] ?? 0);
    withImage({ data, width: 4, height: 4, channels: 3 }, (image) => {
      const got = image.warpToFloat(scaling(1, -4, 1, 0), 8, 4, { scale: 1 / 127.5, offset: -1 });
      expect([...got.slice(0, 3)]).toEqual([-1, -1, -1]);
      expect(got[12]).toBeCloseTo(1, 6);
      expect(got[14]).toBeCloseTo(-0.6, 6);
    });
  });

  it('writes into the buffer it is given, and no further', () => {
    withImage(noise(5, 5), (image) => {
      const out = new Float32Array(5 * 5 * 3 + 2).fill(-7);
      expect(image.warpToFloat(identity, 5, 5, { out })).toBe(out);
      expect([...out.slice(-2)]).toEqual([-7, -7]);
      expect(out.slice(0, -2)).toEqual(image.warpToFloat(identity, 5, 5));
    });
  });
});

describe('warpToBytes', () => {
  it('rounds half up what warpToFloat gives, and warpToLuma weighs that', () => {
    withImage(noise(31, 23), (image) => {
      for (const transform of [scaling(2, 0, 2, 0), scaling(0.4, 1, 0.4, 2), rotation(40, 2.2, 3)]) {
        const floats = image.warpToFloat(transform, 12, 10, { fill: 'edge' });
        const bytes = image.warpToBytes(transform, 12, 10, { fill: 'edge' });
        expect(bytes).toEqual(Uint8Array.from(floats, (value) => Math.min(255, Math.floor(value + 0.5))));
        const [r, g, b] = [0, 1, 2].map((channel) => bytes.filter((_, i) => i % 3 === channel));
        const luma = r?.map((red, i) => (77 * red + 150 * (g?.[i] ?? 0) + 29 * (b?.[i] ?? 0) + 128) >> 8);
        expect(image.warpToLuma(transform, 12, 10, { fill: 'edge' })).toEqual(luma);
      }
    });
  });

  it('writes into the buffer it is given', () => {
    withImage(noise(5, 5), (image) => {
      const out = new Uint8Array(80).fill(9);
      expect(image.warpToBytes(identity, 5, 5, { out })).toBe(out);
      expect([...out.slice(75)]).toEqual([9, 9, 9, 9, 9]);
    });
  });
});

describe('what is refused', () => {
  const bad = (code: string) => expect.objectContaining({ code });

  it.each([
    ['no pixels', { data: new Uint8Array(), width: 0, height: 0, channels: 4 }],
    ['half a pixel', { data: new Uint8Array(6), width: 1.5, height: 1, channels: 4 }],
    ['too few bytes', { data: new Uint8Array(15), width: 2, height: 2, channels: 4 }],
    ['too many bytes', { data: new Uint8Array(17), width: 2, height: 2, channels: 4 }],
    ['two channels', { data: new Uint8Array(8), width: 2, height: 2, channels: 2 }],
    ['a huge size', { data: new Uint8Array(4), width: 65_536, height: 65_536, channels: 4 }],
    ['floats', { data: new Float32Array(16), width: 2, height: 2, channels: 4 }],
  ])('an image of %s', (_name, image) => {
    expect(() => core.image(image as unknown as PixelImage)).toThrow(bad('image-invalid'));
  });

  it('targets, transforms and buffers out of range', () => {
    withImage(noise(4, 4), (image) => {
      for (const size of [0, -1, 1.5, Number.NaN, 70_000]) {
        expect(() => image.warpToFloat(identity, size, 4)).toThrow(bad('invalid-argument'));
        expect(() => image.warpToBytes(identity, 4, size)).toThrow(bad('invalid-argument'));
      }
      for (const a of [Number.NaN, Number.POSITIVE_INFINITY, 5000]) {
        expect(() => image.warpToFloat(scaling(a, 0, 1, 0), 4, 4)).toThrow(bad('invalid-argument'));
        expect(() => image.warpToFloat({ ...identity, d: a }, 4, 4)).toThrow(bad('invalid-argument'));
      }
      expect(() => image.warpToFloat(scaling(1, 1e9, 1, 0), 4, 4)).toThrow(bad('invalid-argument'));
      expect(() => image.warpToFloat(identity, 4, 4, { out: new Float32Array(47) })).toThrow(bad('invalid-argument'));
    });
  });

  it('a disposed image; disposing twice does nothing', () => {
    const image = core.image(noise(4, 4));
    image.dispose();
    image.dispose();
    expect(() => image.warpToFloat(identity, 4, 4)).toThrow(bad('invalid-argument'));
    expect(() => image.warpToBytes(identity, 4, 4)).toThrow(bad('invalid-argument'));
  });
});

describe('the memory of the core', () => {
  it('holds nothing of an image once it is disposed', () => {
    const kernel = kernelOf(core);
    if (kernel === undefined) throw new Error('no kernel');
    const source = noise(64, 64);
    const image = core.image(source);
    const needle = Buffer.from(source.data.slice(0, 64));
    expect(Buffer.from(kernel.exports.memory.buffer).includes(needle)).toBe(true);
    image.warpToBytes(identity, 64, 64);
    image.warpToFloat(rotation(3, 2, 4), 64, 64);
    image.dispose();
    expect(Buffer.from(kernel.exports.memory.buffer).includes(needle)).toBe(false);
    expect(Buffer.from(kernel.exports.memory.buffer).includes(needle.subarray(0, 3))).toBe(false);
    expect(kernel.heap.usedBytes).toBe(0);
  });
});
