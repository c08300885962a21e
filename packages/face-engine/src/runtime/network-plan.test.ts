import type { GraphConstant, GraphOperator, TfliteGraph } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { planNetwork } from './network-plan.ts';

const shape = [1, 6, 6, 8];
const window = { padding: 'same', strides: [1, 1], activation: 'none' } as const;

/**
 * Tensors: 0 (input) to 4 maps of 6×6×8, 5 filters of 3×3, 6 one number per channel, 7 padding amounts, 8 depthwise
 * filters, 9 a vector, 10 a single number.
 */
function graphOf(
  operators: readonly GraphOperator[],
  output = 4,
  amounts: GraphConstant = Int32Array.from({ length: 8 }),
): TfliteGraph {
  const map = { shape, constant: null };
  const constants = [
    { shape: [8, 3, 3, 8], constant: new Float32Array(576) },
    { shape: [8], constant: new Float32Array(8) },
    { shape: [4, 2], constant: amounts },
    { shape: [1, 3, 3, 8], constant: new Float32Array(72) },
    { shape: [1, 1, 1, 8], constant: null },
    { shape: [1], constant: Float32Array.of(3) },
  ];
  return { tensors: [map, map, map, map, map, ...constants], inputs: [0], outputs: [output], operators };
}

const convolution = (input: number, output: number, change: Partial<GraphOperator & { kind: 'conv2d' }> = {}) =>
  ({ kind: 'conv2d', inputs: [input, 5, 6], outputs: [output], ...window, ...change }) satisfies GraphOperator;
const depthwise = (input: number, output: number, change: Partial<GraphOperator & { kind: 'depthwise-conv2d' }> = {}) =>
  ({
    kind: 'depthwise-conv2d',
    inputs: [input, 8, 6],
    outputs: [output],
    ...window,
    ...change,
  }) satisfies GraphOperator;
const prelu = (x: number, y: number): GraphOperator => ({ kind: 'prelu', inputs: [x, 6], outputs: [y] });
const pad = (x: number, y: number): GraphOperator => ({ kind: 'pad', inputs: [x, 7], outputs: [y] });
const product = (a: number, b: number, y: number, activation: 'none' | 'relu' = 'none'): GraphOperator => ({
  ...{ kind: 'mul', inputs: [a, b], outputs: [y] },
  activation,
});
const sum = (a: number, b: number, output: number): GraphOperator => ({
  ...{ kind: 'add', inputs: [a, b], outputs: [output] },
  activation: 'relu',
});

describe('planNetwork', () => {
  it('lets a convolution make the sum that it alone goes into', () => {
    for (const [a, b] of [
      [2, 0],
      [0, 2],
    ] as const) {
      const plan = planNetwork(graphOf([convolution(0, 1, { activation: 'relu' }), convolution(1, 2), sum(a, b, 4)]));
      expect(plan?.layers).toMatchObject([
        { kind: 'convolution', residual: null, activation: 'relu' },
        { kind: 'convolution', input: 1, residual: plan?.input, output: plan?.outputs[0], activation: 'relu' },
      ]);
    }
  });

  it.each<[string, readonly GraphOperator[]]>([
    ['is read elsewhere too', [convolution(0, 1), sum(1, 0, 2), sum(2, 1, 4)]],
    ['is rectified before', [convolution(0, 1, { activation: 'relu' }), sum(1, 0, 4)]],
    ['is depthwise', [depthwise(0, 1), sum(1, 0, 4)]],
    ['is added to itself', [convolution(0, 1), sum(1, 1, 4)]],
  ])('leaves the sum alone when the convolution %s', (_what, operators) => {
    expect(planNetwork(graphOf(operators))?.layers.map(({ kind }) => kind)).toEqual(
      operators.map(({ kind }) => ({ add: 'add', 'depthwise-conv2d': 'depthwise' })[kind as string] ?? 'convolution'),
    );
  });

  it('fuses one of two convolutions that are added', () => {
    const plan = planNetwork(graphOf([convolution(0, 1), convolution(0, 2), sum(1, 2, 4)]));
    expect(plan?.layers).toMatchObject([{ kind: 'convolution', residual: null }, { residual: expect.any(Number) }]);
    const [first, second] = plan?.layers ?? [];
    expect(second).toMatchObject({ residual: first?.output });
  });

  it('keeps a convolution whose result is an output', () => {
    const graph = graphOf([convolution(0, 1), sum(1, 0, 4)]);
    const plan = planNetwork({ ...graph, outputs: [4, 1] });
    expect(plan?.layers).toHaveLength(2);
    expect(plan?.outputs).toEqual(plan?.layers.map(({ output }) => output).reverse());
  });

  it('makes a fully connected layer a window over the whole map', () => {
    const operator = { kind: 'fully-connected', inputs: [0, 5, 6], outputs: [4], activation: 'none' } as const;
    expect(planNetwork(graphOf([operator]))?.layers).toMatchObject([
      { kind: 'convolution', size: [6, 6], stride: 1, border: [0, 0, 0, 0] },
    ]);
  });

  const border = Int32Array.of(0, 0, 1, 2, 3, 4, 0, 0);
  it('has the zeros around a map in the windows of the convolutions that read it', () => {
    const valid = { padding: 'valid', strides: [2, 2] } as const;
    const plan = planNetwork(graphOf([pad(0, 1), convolution(1, 2, valid), depthwise(1, 4, valid)], 4, border));
    expect(plan?.layers).toMatchObject([
      { kind: 'convolution', input: plan?.input, border: [1, 2, 3, 4], stride: 2 },
      { kind: 'depthwise', input: plan?.input, border: [1, 2, 3, 4], stride: 2 },
    ]);
  });

  it.each<[string, readonly GraphOperator[], number]>([
    ['anything else reads it', [pad(0, 1), convolution(1, 2, { padding: 'valid' }), sum(2, 1, 4)], 4],
    ['a convolution pads it once more', [pad(0, 1), convolution(1, 4)], 4],
    ['it is the output', [pad(0, 1)], 1],
  ])('answers null for zeros around a map when %s', (_what, operators, output) => {
    expect(planNetwork(graphOf(operators, output, border))).toBeNull();
  });

  it("puts SAME's odd row of zeros after the map", () => {
    const half = { strides: [2, 2] } as const;
    const plan = planNetwork(graphOf([convolution(0, 1, half), depthwise(1, 4)]));
    expect(plan?.layers).toMatchObject([{ border: [0, 1, 0, 1] }, { border: [1, 1, 1, 1] }]);
  });

  it.each([
    ['convolution', convolution(0, 1)],
    ['depthwise', depthwise(0, 1)],
    ['add', { ...sum(0, 0, 1), activation: 'none' } as GraphOperator],
    ['affine', { ...product(0, 6, 1), kind: 'add' } as GraphOperator],
  ])('gives slopes to the layer before: %s', (kind, operator) => {
    const plan = planNetwork(graphOf([operator, prelu(1, 4)]));
    expect(plan?.layers).toMatchObject([{ kind, output: plan?.outputs[0], activation: new Float32Array(8) }]);
  });

  it.each<[string, readonly GraphOperator[]]>([
    ['the input', [prelu(0, 4)]],
    ['what is read elsewhere too', [convolution(0, 1), prelu(1, 2), sum(2, 1, 4)]],
    ['what is rectified', [convolution(0, 1, { activation: 'relu' }), prelu(1, 4)]],
    ['what has slopes', [convolution(0, 1), prelu(1, 2), prelu(2, 4)]],
    ['gates', [{ kind: 'logistic', inputs: [0], outputs: [1] }, prelu(1, 4)]],
  ])('keeps slopes apart for %s', (_what, operators) => {
    const layers = planNetwork(graphOf(operators))?.layers ?? [];
    const ones = new Float32Array(8).fill(1);
    const slopes = { kind: 'affine', scales: ones, offsets: new Float32Array(8), activation: new Float32Array(8) };
    expect(layers.filter(({ kind }) => kind === 'affine')).toEqual([expect.objectContaining(slopes)]);
  });

  it('scales a map by gates, whatever their order, and adds to it in one pass', () => {
    for (const [a, b] of [
      [1, 9],
      [9, 1],
    ] as const) {
      const gates: GraphOperator = { kind: 'logistic', inputs: [9], outputs: [9] };
      const linear = { ...sum(2, 0, 4), activation: 'none' } as GraphOperator;
      const [scale] = planNetwork(graphOf([convolution(0, 1), gates, product(a, b, 2), linear]))?.layers.slice(2) ?? [];
      expect(scale).toMatchObject({ kind: 'scale', residual: 0 });
      const apart = planNetwork(graphOf([convolution(0, 1), gates, product(a, b, 2), sum(2, 0, 4)]))?.layers.slice(2);
      expect(apart).toMatchObject([
        { kind: 'scale', residual: null },
        { kind: 'add', activation: 'relu' },
      ]);
    }
  });

  it('takes a softmax of as many classes as there are channels', () => {
    const plan = planNetwork(graphOf([{ kind: 'softmax', inputs: [0], outputs: [4] }]));
    expect(plan?.layers).toEqual([{ kind: 'softmax', input: plan?.input, output: plan?.outputs[0], classes: 8 }]);
  });

  it('takes constants as numbers by channel, one for all too', () => {
    const operators = [product(10, 0, 1, 'relu'), { ...product(1, 6, 4), kind: 'add' }] as GraphOperator[];
    expect(planNetwork(graphOf(operators))?.layers).toMatchObject([
      { kind: 'affine', scales: new Float32Array(8).fill(3), offsets: new Float32Array(8), activation: 'relu' },
      { kind: 'affine', scales: new Float32Array(8).fill(1), offsets: new Float32Array(8), activation: 'none' },
    ]);
  });

  it.each<[string, TfliteGraph]>([
    ['two inputs', { ...graphOf([sum(0, 1, 4)]), inputs: [0, 1] }],
    ['filters that are computed', graphOf([convolution(0, 4, { inputs: [0, 1, 6] })])],
    ['strides that differ', graphOf([convolution(0, 4, { strides: [1, 2] })])],
    ['pooling with padding', graphOf([{ kind: 'max-pool', inputs: [0], outputs: [4], ...window, size: [2, 2] }])],
    ['padding before', graphOf([pad(0, 4)], 4, Int32Array.of(0, 0, 1, 0, 0, 0, 0, 0))],
    ['constants of another count', graphOf([product(0, 5, 4)])],
    ['gates that are rectified', graphOf([product(0, 9, 4, 'relu')])],
  ])('answers null for %s', (_what, graph) => {
    expect(planNetwork(graph)).toBeNull();
  });

  it('has no map for a batch of two or for tensors of three dimensions', () => {
    for (const odd of [[2, 6, 6, 8], [1, 6, 8], []]) {
      const graph = graphOf([sum(0, 0, 4)]);
      const plan = planNetwork({ ...graph, tensors: [{ shape: odd, constant: null }, ...graph.tensors.slice(1)] });
      expect(plan?.maps[plan.input]).toEqual({ height: 0, width: 0, channels: 0 });
    }
  });
});
