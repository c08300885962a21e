import type { StoredWeight } from '../sources/tfjs-weights.ts';
import { GraphBuilder, type Value } from '../tflite/graph-builder.ts';
import { float32, type Weights } from '../tflite/weights.ts';
import { at } from './at.ts';

/** Mean RGB of the pictures that the network was trained on. */
const meanRgb = [123.68, 116.779, 103.939] as const;
/** Strides of the thirteen depthwise layers. */
const strides = [1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1] as const;

type WeightMap = ReadonlyMap<string, StoredWeight>;

/**
 * The identity branch of HSE-FaceRes as `@vladmandic/human` carries it («faceres»: MobileNet, Savchenko 2019, «Efficient facial
 * representations for age, gender and identity recognition»): 224×224×3 raw RGB 0..255 → 1024, the pooled map of the last
 * convolution. What it says of age and gender is left out.
 *
 * The network wants BGR less its mean. The order is turned in the first convolution's filters; the mean is taken off by a layer
 * of its own, because that convolution pads with zeros, which stand for the mean there. Filters stay the 16-bit floats that the
 * file holds; those of the depthwise layers take up their normalisation's gain and become 32-bit floats.
 */
export function compileFaceRes(weights: WeightMap): Uint8Array {
  const graph = new GraphBuilder();
  const net = new MobileNetBuilder(graph, weights);
  let x = graph.input('chip', [1, 224, 224, 3]);
  x = graph.shift(x, 'centred', float32(meanRgb.map((mean) => -mean)));
  x = net.first(x);
  strides.forEach((stride, i) => {
    x = net.pointwise(net.depthwise(x, i + 1, stride), i + 1);
  });
  const pooled = graph.averagePool2d(x, { size: [x.shape[1] ?? 0, x.shape[2] ?? 0], stride: 1 });
  return graph.build([pooled], 'HSE-FaceRes, identity');
}

class MobileNetBuilder {
  readonly #graph: GraphBuilder;
  readonly #weights: WeightMap;

  constructor(graph: GraphBuilder, weights: WeightMap) {
    this.#graph = graph;
    this.#weights = weights;
  }

  first(x: Value): Value {
    const filters = reversedInputs(this.#weight('conv1/convolution/merged_input'));
    return this.#convolution(x, 'conv1', filters, 2);
  }

  pointwise(x: Value, index: number): Value {
    return this.#convolution(x, `conv_pw_${index}`, this.#weight(`conv_pw_${index}/convolution/merged_input`), 1);
  }

  depthwise(x: Value, index: number, stride: number): Value {
    const name = `conv_dw_${index}`;
    const { shape, values } = this.#weight(`${name}/depthwise_kernel`);
    const [height = 0, width = 0, channels = 0] = shape;
    const gain = this.#weight(`${name}_bn/batchnorm_1/mul`).values;
    return this.#graph.depthwiseConv2d(x, {
      name,
      shape: [1, height, width, channels],
      filters: float32(Float64Array.from(values, (value, i) => value * at(gain, i % channels))),
      bias: float32(this.#weight(`${name}_bn/batchnorm_1/sub`).values),
      stride,
      padding: 'same',
      activation: 'relu6',
    });
  }

  #convolution(x: Value, name: string, { shape, halves }: Halves, stride: number): Value {
    const [height = 0, width = 0, , outputs = 0] = shape;
    const inner = halves.length / outputs;
    return this.#graph.conv2d(x, {
      name,
      shape: [outputs, height, width, shape[2] ?? 0],
      filters: float16(halves.length, (i) => at(halves, (i % inner) * outputs + Math.floor(i / inner))),
      bias: float16(outputs, (i) => at(this.#weight(`${name}_bn/batchnorm_1/sub`).halves, i)),
      stride,
      padding: 'same',
      activation: 'relu6',
    });
  }

  #weight(name: string): StoredWeight & Halves {
    const weight = this.#weights.get(name);
    if (weight?.halves == null) throw new Error(`the weights lack ${name} in 16-bit floats`);
    return { ...weight, halves: weight.halves };
  }
}

interface Halves {
  readonly shape: readonly number[];
  readonly halves: Uint16Array;
}

const float16 = (length: number, bits: (i: number) => number): Weights => ({
  type: 'float16',
  values: Uint16Array.from({ length }, (_, i) => bits(i)),
});

/** Filters `[height, width, in, out]` for inputs in the opposite order. */
function reversedInputs({ shape, halves }: Halves): Halves {
  const [, , inputs = 0, outputs = 0] = shape;
  const block = inputs * outputs;
  const turned = Uint16Array.from(halves, (_, i) => {
    const within = i % block;
    const input = inputs - 1 - Math.floor(within / outputs);
    return at(halves, i - within + input * outputs + (within % outputs));
  });
  return { shape, halves: turned };
}
