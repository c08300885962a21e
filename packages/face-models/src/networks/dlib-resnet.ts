import type { StoredWeight } from '../sources/tfjs-weights.ts';
import { type Activation, GraphBuilder, type Padding, type Value } from '../tflite/graph-builder.ts';
import { at, float32, type Weights } from '../tflite/weights.ts';

/** Mean RGB that dlib subtracts before it divides by 255. */
const meanRgb = [122.782, 117.001, 104.298] as const;

type WeightMap = ReadonlyMap<string, StoredWeight>;

/**
 * Compiles dlib's face recognition ResNet (29 convolutions, `dlib_face_recognition_resnet_model_v1`), as face-api
 * computes it, from its weights: 150×150×3 raw RGB 0 to 255 → 128.
 *
 * Each convolution's bias and scale are folded into it, and mean and 1/255 into the first one, which is exact because
 * that one has no padding. Filters stored as bytes stay bytes: one scale per channel carries the folding, so nothing is
 * rounded twice.
 */
export function compileDlibResNet(weights: WeightMap): Uint8Array {
  const graph = new GraphBuilder();
  const net = new ResNetBuilder(graph, weights);
  let x = graph.input('chip', [1, 150, 150, 3]);
  x = net.conv(x, 'conv32_down', { stride: 2, padding: 'valid', activation: 'relu', normalise: true });
  x = graph.maxPool2d(x, { size: [3, 3], stride: 2 });
  for (const name of ['conv32_1', 'conv32_2', 'conv32_3']) x = net.residual(x, name);
  x = net.residualDown(x, 'conv64_down');
  for (const name of ['conv64_1', 'conv64_2', 'conv64_3']) x = net.residual(x, name);
  x = net.residualDown(x, 'conv128_down');
  for (const name of ['conv128_1', 'conv128_2']) x = net.residual(x, name);
  x = net.residualDown(x, 'conv256_down');
  for (const name of ['conv256_1', 'conv256_2']) x = net.residual(x, name);
  x = net.residualDown(x, 'conv256_down_out');
  x = graph.averagePool2d(x, { size: [x.shape[1] ?? 0, x.shape[2] ?? 0], stride: 1 });
  return graph.build([net.projection(x, 'fc')], 'dlib face recognition ResNet');
}

interface LayerOptions {
  readonly stride?: number;
  readonly padding?: Padding;
  readonly activation?: Activation;
  /** Fold dlib's normalisation of the input into it. */
  readonly normalise?: boolean;
}

class ResNetBuilder {
  readonly #graph: GraphBuilder;
  readonly #weights: WeightMap;

  constructor(graph: GraphBuilder, weights: WeightMap) {
    this.#graph = graph;
    this.#weights = weights;
  }

  conv(
    x: Value,
    name: string,
    { stride = 1, padding = 'same', activation = 'none', normalise = false }: LayerOptions,
  ): Value {
    const stored = this.#weight(`${name}/conv/filters`);
    const [height = 0, width = 0, inputs = 0, outputs = 0] = stored.shape;
    const bias = this.#weight(`${name}/conv/bias`).values;
    const gain = this.#weight(`${name}/scale/weights`).values;
    const shift = this.#weight(`${name}/scale/biases`).values;
    const divisor = normalise ? 255 : 1;
    const scales = Float64Array.from(gain, (g) => g / divisor);
    const folded = Float64Array.from({ length: outputs }, (_, o) => at(bias, o) * at(gain, o) + at(shift, o));
    if (normalise) {
      stored.values.forEach((value, i) => {
        const o = i % outputs;
        folded[o] = at(folded, o) - value * at(scales, o) * at(meanRgb, Math.floor(i / outputs) % inputs);
      });
    }
    return this.#graph.conv2d(x, {
      name,
      shape: [outputs, height, width, inputs],
      filters: scaledTranspose(stored, scales),
      bias: float32(folded),
      stride,
      padding,
      activation,
    });
  }

  residual(x: Value, name: string): Value {
    const inner = this.conv(x, `${name}/conv1`, { activation: 'relu' });
    return this.#graph.add(this.conv(inner, `${name}/conv2`, {}), x, `${name}/sum`, 'relu');
  }

  /**
   * The shortcut is a pooling, which keeps the last row of odd sizes and has fewer channels; both paths are padded to
   * match.
   */
  residualDown(x: Value, name: string): Value {
    const inner = this.conv(x, `${name}/conv1`, { stride: 2, padding: 'valid', activation: 'relu' });
    const convolved = this.conv(inner, `${name}/conv2`, {});
    const pooled = this.#graph.averagePool2d(x, { size: [2, 2], stride: 2 });
    const gap = (d: number): number => (pooled.shape[d] ?? 0) - (convolved.shape[d] ?? 0);
    const reach = this.#padded(convolved, `${name}/reach`, [0, gap(1), gap(2), 0]);
    const widened = this.#padded(pooled, `${name}/widened`, [0, 0, 0, -gap(3)]);
    return this.#graph.add(reach, widened, `${name}/sum`, 'relu');
  }

  projection(x: Value, name: string): Value {
    const stored = this.#weight(name);
    const outputs = stored.shape[1] ?? 0;
    const bias = float32(new Float32Array(outputs));
    return this.#graph.fullyConnected(
      x,
      name,
      outputs,
      scaledTranspose(stored, new Float64Array(outputs).fill(1)),
      bias,
    );
  }

  #padded(x: Value, name: string, after: readonly number[]): Value {
    if (after.every((n) => n === 0)) return x;
    return this.#graph.pad(
      x,
      name,
      after.map((n) => [0, n] as const),
    );
  }

  #weight(name: string): StoredWeight {
    const weight = this.#weights.get(name);
    if (weight === undefined) throw new Error(`the weights lack ${name}`);
    return weight;
  }
}

/** Moves the last dimension (outputs) to the front and multiplies each output's weights by its scale. */
function scaledTranspose({ shape, values, quantised }: StoredWeight, outputScales: Float64Array): Weights {
  const outputs = shape[shape.length - 1] ?? 0;
  const inner = values.length / outputs;
  const source = (i: number): number => (i % inner) * outputs + Math.floor(i / inner);
  if (quantised === null) {
    return float32(
      Float64Array.from(values, (_, i) => at(values, source(i)) * at(outputScales, Math.floor(i / inner))),
    );
  }
  const { bytes, scale, minimum } = quantised;
  const zero = Math.round(-minimum / scale);
  if (Math.abs(zero + minimum / scale) > 1e-3 || zero < 0 || zero > 255) throw new Error('a zero point is not a byte');
  const uniform = outputScales.every((s) => s === 1);
  const scales = uniform ? Float32Array.of(scale) : Float32Array.from(outputScales, (s) => s * scale);
  return {
    type: 'int8',
    values: Int8Array.from(bytes, (_, i) => at(bytes, source(i)) - 128),
    scales,
    zeroPoints: new BigInt64Array(scales.length).fill(BigInt(zero - 128)),
    axis: 0,
  };
}
