import { describe, expect, it } from 'vitest';
import { GraphBuilder } from './graph-builder.ts';
import { readGraph } from './read-graph.ts';
import { operators } from './schema.ts';
import { float32, type Weights } from './weights.ts';

const counting = (length: number) => Float32Array.from({ length }, (_, i) => i / 4);

/** 3·(value − 1), 5·(value − 2) by the first axis, or the first of these for all. */
function bytes(length: number, channels: 1 | 2): Weights {
  return {
    type: 'int8',
    values: Int8Array.from({ length }, (_, i) => i - 4),
    scales: Float32Array.of(3, 5).slice(0, channels),
    zeroPoints: BigInt64Array.of(1n, 2n).slice(0, channels),
    axis: 0,
  };
}

function everything(): Uint8Array {
  const graph = new GraphBuilder();
  const x = graph.input('image', [1, 9, 7, 3]);
  const filters = { name: 'c', shape: [2, 3, 3, 3], filters: bytes(54, 2), bias: float32(counting(2)) } as const;
  const y = graph.conv2d(x, { ...filters, stride: 2, padding: 'valid', activation: 'relu' });
  const pooled = graph.averagePool2d(graph.maxPool2d(y, { size: [2, 3], stride: 1 }), { size: [1, 1], stride: 2 });
  const padded = graph.pad(pooled, 'p', [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 0],
  ]);
  const sum = graph.add(padded, padded, 'sum', 'relu');
  return graph.build([graph.fullyConnected(sum, 'f', 2, bytes(36, 1), float32(counting(2)))], 'test');
}

/** Further layers of mobile networks, with constants of halves. */
function mobile(): Uint8Array {
  const halves = (length: number): Weights => ({
    type: 'float16',
    values: Uint16Array.from({ length }, (_, i) => 0x3c00 + i),
  });
  const graph = new GraphBuilder();
  const x = graph.input('image', [1, 4, 4, 2]);
  const filters = { name: 'd', shape: [1, 3, 3, 2], filters: halves(18), bias: float32(counting(2)) } as const;
  const y = graph.depthwiseConv2d(x, { ...filters, stride: 2, padding: 'same', activation: 'relu' });
  const activated = graph.prelu(y, 'slopes', halves(2));
  return graph.build([graph.mul(activated, graph.logistic(activated, 'gates'), 'product')], 'test');
}

describe('readGraph', () => {
  it('reads operators with their options, in order', () => {
    const graph = readGraph(everything());
    const valid = { padding: 'valid', activation: 'none' };
    expect(graph?.operators).toMatchObject([
      { kind: 'conv2d', ...valid, strides: [2, 2], activation: 'relu' },
      { kind: 'max-pool', ...valid, strides: [1, 1], size: [2, 3] },
      { kind: 'average-pool', ...valid, strides: [2, 2], size: [1, 1] },
      { kind: 'pad' },
      { kind: 'add', activation: 'relu' },
      { kind: 'fully-connected', activation: 'none' },
    ]);
    graph?.operators.forEach(({ inputs }, i) => {
      if (i > 0) expect(inputs[0]).toBe(graph.operators[i - 1]?.outputs[0]);
    });
    expect(graph?.inputs).toEqual(graph?.operators[0]?.inputs.slice(0, 1));
    expect(graph?.outputs).toEqual(graph?.operators[5]?.outputs);
  });

  it('reads constants as floats, widened by tensor or by channel, and amounts as integers', () => {
    const graph = readGraph(everything());
    const constantOf = (operator: number, input: number) =>
      graph?.tensors[graph.operators[operator]?.inputs[input] ?? -1]?.constant;
    const perChannel = Float32Array.from({ length: 54 }, (_, i) => (i < 27 ? 3 * (i - 5) : 5 * (i - 6)));
    expect(constantOf(0, 1)).toEqual(perChannel);
    expect(constantOf(0, 2)).toEqual(counting(2));
    expect(constantOf(0, 0)).toBeNull();
    expect(constantOf(3, 1)).toEqual(Int32Array.of(0, 0, 0, 1, 0, 2, 0, 0));
    expect(constantOf(5, 1)).toEqual(Float32Array.from({ length: 36 }, (_, i) => 3 * (i - 5)));
  });

  it('reads depthwise convolutions, slopes, products and the logistic function', () => {
    const graph = readGraph(mobile());
    expect(graph?.operators).toMatchObject([
      { kind: 'depthwise-conv2d', padding: 'same', strides: [2, 2], activation: 'relu' },
      { kind: 'prelu' },
      { kind: 'logistic' },
      { kind: 'mul', activation: 'none' },
    ]);
    const [convolution, prelu, logistic, product] = graph?.operators ?? [];
    expect(product?.inputs).toEqual([prelu?.outputs[0], logistic?.outputs[0]]);
    const constantOf = (tensor = -1) => graph?.tensors[tensor]?.constant;
    expect(constantOf(prelu?.inputs[1])).toEqual(Float32Array.of(1, 1 + 2 ** -10));
    expect(constantOf(convolution?.inputs[1])?.[17]).toBe(1 + 17 * 2 ** -10);
    expect(graph?.tensors[convolution?.inputs[1] ?? -1]?.shape).toEqual([1, 3, 3, 2]);
  });

  it('reads a softmax, and answers null for operators of other kinds', () => {
    const graph = new GraphBuilder();
    const x = graph.input('x', [1, 4]);
    expect(readGraph(graph.build([x], 'test'))?.operators).toEqual([]);
    const file = graph.build([graph.softmax(x, 'class')], 'test');
    expect(readGraph(file)?.operators).toMatchObject([{ kind: 'softmax' }]);
    const words = new Int32Array(file.slice(0, file.length & ~3).buffer);
    words[words.indexOf(operators.softmax.code)] = 1_000;
    expect(readGraph(new Uint8Array(words.buffer))).toBeNull();
    const factors = new Float32Array(file.slice(0, file.length & ~3).buffer);
    factors[factors.indexOf(1)] = 2;
    expect(readGraph(new Uint8Array(factors.buffer))).toBeNull();
  });

  it('answers null for bytes that are no model, and never throws for one that was damaged', () => {
    expect(readGraph(new Uint8Array(0))).toBeNull();
    expect(readGraph(new Uint8Array(1000))).toBeNull();
    for (const file of [everything(), mobile()]) {
      for (let length = 0; length < 600; length += 7) expect(readGraph(file.slice(0, length))).toBeNull();
      for (let at = 8; at < file.length; at += 3) {
        const damaged = Uint8Array.from(file);
        damaged[at] = 255 - (damaged[at] ?? 0);
        readGraph(damaged);
      }
    }
  });
});
