import { describe, expect, it } from 'vitest';
import { readSignature } from './flat-view.ts';
import { GraphBuilder } from './graph-builder.ts';
import { float32, fromHalf } from './weights.ts';

it.each([
  [0x0000, 0],
  [0x8000, -0],
  [0x0001, 2 ** -24],
  [0x83ff, -1023 * 2 ** -24],
  [0x0400, 2 ** -14],
  [0x3555, 0.333251953125],
  [0x7bff, 65504],
  [0xfc00, Number.NEGATIVE_INFINITY],
  [0x7e00, Number.NaN],
])('reads %i as %d', (bits, value) => {
  expect(fromHalf(bits)).toBe(value);
});

const zeros = (length: number) => float32(new Float32Array(length));

describe('GraphBuilder', () => {
  it('infers shapes as TFLite does', () => {
    const graph = new GraphBuilder();
    const x = graph.input('image', [1, 9, 7, 3]);
    const filters = { name: 'c', shape: [4, 3, 3, 3], filters: zeros(108), bias: zeros(4) } as const;
    expect(graph.conv2d(x, { ...filters, stride: 2, padding: 'same' }).shape).toEqual([1, 5, 4, 4]);
    expect(graph.conv2d(x, { ...filters, stride: 2, padding: 'valid' }).shape).toEqual([1, 4, 3, 4]);
    const each = { name: 'd', shape: [1, 3, 3, 3], filters: zeros(27), bias: zeros(3) } as const;
    expect(graph.depthwiseConv2d(x, { ...each, padding: 'same' }).shape).toEqual([1, 9, 7, 3]);
    expect(graph.maxPool2d(x, { size: [3, 2], stride: 2 }).shape).toEqual([1, 4, 3, 3]);
    expect(
      graph.pad(x, 'p', [
        [0, 0],
        [1, 2],
        [0, 1],
        [0, 5],
      ]).shape,
    ).toEqual([1, 12, 8, 8]);
    expect(graph.fullyConnected(x, 'f', 5, zeros(945), zeros(5)).shape).toEqual([1, 5]);
  });

  it('writes a file whose inputs and outputs read back', () => {
    const graph = new GraphBuilder();
    const x = graph.input('größe', [1, 2, 2, 3]);
    const y = graph.fullyConnected(x, 'logits', 2, zeros(24), zeros(2));
    const file = graph.build([graph.softmax(y, 'class'), y], 'test');
    expect(readSignature(file)).toEqual({
      inputs: [{ name: 'größe', shape: [1, 2, 2, 3], type: 'float32' }],
      outputs: [
        { name: 'class', shape: [1, 2], type: 'float32' },
        { name: 'logits', shape: [1, 2], type: 'float32' },
      ],
    });
  });

  it('is deterministic and puts constant data at multiples of 16', () => {
    const build = (): Uint8Array => {
      const graph = new GraphBuilder();
      const x = graph.input('x', [1, 3]);
      const marked = float32([123456.75, 0, 0, 0, 0, 0]);
      return graph.build([graph.fullyConnected(x, 'y', 2, marked, zeros(2))], 'odd length');
    };
    expect(build()).toEqual(build());
    const file = build();
    const mark = new Uint8Array(Float32Array.of(123456.75).buffer);
    const at = file.findIndex((_, i) => mark.every((byte, k) => file[i + k] === byte));
    expect(at).toBeGreaterThan(0);
    expect(at % 16).toBe(0);
  });

  it('refuses weights that do not fit', () => {
    const graph = new GraphBuilder();
    const x = graph.input('x', [1, 4, 4, 2]);
    const wrongChannels = { name: 'c', shape: [1, 1, 1, 3], filters: zeros(3), bias: zeros(1) } as const;
    expect(() => graph.conv2d(x, { ...wrongChannels, padding: 'same' })).toThrow(RangeError);
    expect(() => graph.depthwiseConv2d(x, { ...wrongChannels, padding: 'same' })).toThrow(RangeError);
    expect(() => graph.fullyConnected(x, 'f', 2, zeros(63), zeros(2))).toThrow(RangeError);
  });
});

describe('readSignature', () => {
  it.each([
    ['nothing', new Uint8Array(0)],
    ['another file', new TextEncoder().encode('%PDF-1.7 and so on')],
    ['a file cut off', new GraphBuilder().build([], 'x').subarray(0, 20)],
  ])('refuses %s', (_, file) => {
    expect(() => readSignature(file)).toThrow(Error);
  });
});
