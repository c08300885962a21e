import type { GraphConstant, GraphOperator, TfliteGraph } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { planNetwork } from './network-plan.ts';

const shape = [1, 6, 6, 8];
const window = { padding: 'same', strides: [1, 1], activation: 'none' } as const;

/** Tensors 0 (input) to 4 are maps of 6×6×8, 5 filters of 3×3, 6 biases, 7 padding amounts. */
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
  ];
  return { tensors: [map, map, map, map, map, ...constants], inputs: [0], outputs: [output], operators };
}

const convolution = (input: number, output: number, change: Partial<GraphOperator & { kind: 'conv2d' }> = {}) =>
  ({ kind: 'conv2d', inputs: [input, 5, 6], outputs: [output], ...window, ...change }) satisfies GraphOperator;
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
        { kind: 'convolution', residual: null, relu: true },
        { kind: 'convolution', input: 1, residual: plan?.input, output: plan?.output, relu: true },
      ]);
    }
  });

  it.each<[string, readonly GraphOperator[]]>([
    ['is read elsewhere too', [convolution(0, 1), sum(1, 0, 2), sum(2, 1, 4)]],
    ['is rectified before', [convolution(0, 1, { activation: 'relu' }), sum(1, 0, 4)]],
    ['has no padding', [convolution(0, 1, { padding: 'valid' }), sum(1, 0, 4)]],
    ['is added to itself', [convolution(0, 1), sum(1, 1, 4)]],
  ])('leaves the sum alone when the convolution %s', (_what, operators) => {
    expect(planNetwork(graphOf(operators))?.layers.map(({ kind }) => kind)).toEqual(
      operators.map(({ kind }) => (kind === 'add' ? 'add' : 'convolution')),
    );
  });

  it('fuses one of two convolutions that are added', () => {
    const plan = planNetwork(graphOf([convolution(0, 1), convolution(0, 2), sum(1, 2, 4)]));
    expect(plan?.layers).toMatchObject([{ kind: 'convolution', residual: null }, { residual: expect.any(Number) }]);
    const [first, second] = plan?.layers ?? [];
    expect(second).toMatchObject({ residual: first?.output });
  });

  it('keeps a convolution whose result is an output', () => {
    expect(planNetwork(graphOf([convolution(0, 1), sum(1, 0, 2)], 1))?.layers).toHaveLength(2);
  });

  it('makes a fully connected layer a window over the whole map', () => {
    const operator = { kind: 'fully-connected', inputs: [0, 5, 6], outputs: [4], activation: 'none' } as const;
    expect(planNetwork(graphOf([operator]))?.layers).toMatchObject([{ size: [6, 6], stride: 1, padding: 'valid' }]);
  });

  it.each<[string, TfliteGraph]>([
    ['two inputs', { ...graphOf([sum(0, 1, 4)]), inputs: [0, 1] }],
    ['two outputs', { ...graphOf([sum(0, 0, 4)]), outputs: [4, 0] }],
    ['no output', { ...graphOf([sum(0, 0, 4)]), outputs: [] }],
    ['filters that are computed', graphOf([convolution(0, 4, { inputs: [0, 1, 6] })])],
    ['no bias', graphOf([convolution(0, 4, { inputs: [0, 5] })])],
    ['strides that differ', graphOf([convolution(0, 4, { strides: [1, 2] })])],
    ['pooling with padding', graphOf([{ kind: 'max-pool', inputs: [0], outputs: [4], ...window, size: [2, 2] }])],
    [
      'padding before',
      graphOf([{ kind: 'pad', inputs: [0, 7], outputs: [4] }], 4, Int32Array.of(0, 0, 1, 0, 0, 0, 0, 0)),
    ],
    [
      'padding of the batch',
      graphOf([{ kind: 'pad', inputs: [0, 7], outputs: [4] }], 4, Int32Array.of(0, 1, 0, 0, 0, 0, 0, 0)),
    ],
    ['padding by floats', graphOf([{ kind: 'pad', inputs: [0, 5], outputs: [4] }])],
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
