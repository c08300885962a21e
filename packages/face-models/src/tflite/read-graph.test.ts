import { expect, it } from 'vitest';
import { readSignature } from './flat-view.ts';
import { GraphBuilder } from './graph-builder.ts';
import { readGraph } from './read-graph.ts';
import { operators } from './schema.ts';
import { float32, type Weights } from './weights.ts';

// What the bundle's own networks are made of is compared with their golden outputs, on every runtime.

/** 3·(value − 1) and 5·(value − 2) by the first axis. */
const bytes: Weights = {
  type: 'int8',
  values: Int8Array.from({ length: 6 }, (_, i) => i),
  scales: Float32Array.of(3, 5),
  zeroPoints: BigInt64Array.of(1n, 2n),
  axis: 0,
};
/** Normal and subnormal numbers, the largest and infinities. */
const halves: Weights = { type: 'float16', values: Uint16Array.of(0x3c00, 0x83ff, 0x7bff, 0xfc00) };

function small(): Uint8Array {
  const graph = new GraphBuilder();
  const x = graph.input('größe', [1, 3]);
  const y = graph.fullyConnected(x, 'logits', 2, bytes, float32([123456.75, 0]));
  return graph.build([graph.softmax(y, 'class'), y], 'odd length');
}

it('reads back what was written, constants widened, data at multiples of 16', () => {
  const file = small();
  expect(readSignature(file)).toEqual({
    inputs: [{ name: 'größe', shape: [1, 3], type: 'float32' }],
    outputs: [
      { name: 'class', shape: [1, 2], type: 'float32' },
      { name: 'logits', shape: [1, 2], type: 'float32' },
    ],
  });
  const graph = readGraph(file);
  const [first, second] = graph?.operators ?? [];
  expect([first, second]).toMatchObject([{ kind: 'fully-connected', activation: 'none' }, { kind: 'softmax' }]);
  expect(second?.inputs).toEqual(first?.outputs);
  expect(graph?.tensors[first?.inputs[1] ?? -1]?.constant).toEqual(Float32Array.of(-3, 0, 3, 5, 10, 15));
  const mark = new Uint8Array(Float32Array.of(123456.75).buffer);
  expect(file.findIndex((_, i) => mark.every((byte, k) => file[i + k] === byte)) % 16).toBe(0);

  const sloped = new GraphBuilder();
  const slopes = readGraph(sloped.build([sloped.prelu(sloped.input('x', [1, 1, 1, 4]), 'y', halves)], ''));
  const widened = Float32Array.of(1, -1023 * 2 ** -24, 65504, Number.NEGATIVE_INFINITY);
  expect(slopes?.tensors[slopes.operators[0]?.inputs[1] ?? -1]?.constant).toEqual(widened);
});

it('answers null for other operators and options, and for bytes that are no model', () => {
  const words = new Int32Array(small().buffer);
  words[words.indexOf(operators.softmax.code)] = 1_000;
  expect(readGraph(new Uint8Array(words.buffer))).toBeNull();
  const factors = new Float32Array(small().buffer);
  factors[factors.indexOf(1)] = 2;
  expect(readGraph(new Uint8Array(factors.buffer))).toBeNull();
  expect(readGraph(new Uint8Array(1000))).toBeNull();
});

it('never throws for a model that was damaged', () => {
  const file = small();
  for (let at = 0; at < file.length; at++) {
    readGraph(file.slice(0, at));
    readGraph(file.map((byte, i) => (i === at ? 255 - byte : byte)));
  }
});
