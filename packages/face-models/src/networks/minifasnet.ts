import type { TorchTensor } from '../sources/torch-checkpoint.ts';
import { GraphBuilder, type Value } from '../tflite/graph-builder.ts';
import { at, float32 } from '../tflite/weights.ts';

/** PyTorch's default, which upstream keeps. */
const batchNormEpsilon = 1e-5;

/** Stages between the resolutions 80 → 40 → 20 → 10 → 5, with the number of residual blocks. */
const stages = [
  { reduction: 'conv_23', residual: 'conv_3', blocks: 4 },
  { reduction: 'conv_34', residual: 'conv_4', blocks: 6 },
  { reduction: 'conv_45', residual: 'conv_5', blocks: 2 },
] as const;

/**
 * Compiles MiniFASNet (minivision-ai/Silent-Face-Anti-Spoofing, `src/model_lib/MiniFASNet.py`), V2 or V1SE, from its
 * state dictionary: 80×80×3 RGB 0 to 255 → softmax over (print, live, replay).
 *
 * Batch norms are folded into the convolution or projection before them, and upstream's BGR order into the first one.
 * Squeeze-and-excitation is added wherever the dictionary has its weights.
 */
export function compileMiniFasNet(state: ReadonlyMap<string, TorchTensor>, description: string): Uint8Array {
  const graph = new GraphBuilder();
  const net = new MiniFasNetBuilder(graph, state);
  let x = graph.input('crop', [1, 80, 80, 3]);
  x = net.convolution(x, 'conv1', { stride: 2, swapInputs: true, prelu: true });
  x = net.convolution(x, 'conv2_dw', { depthwise: true, prelu: true });
  for (const { reduction, residual, blocks } of stages) {
    x = net.bottleneck(x, reduction, 2);
    for (let i = 0; i < blocks; i++) x = net.residual(x, `${residual}.model.${i}`);
  }
  x = net.convolution(x, 'conv_6_sep', { prelu: true });
  x = net.convolution(x, 'conv_6_dw', { depthwise: true, padding: 'none' });
  x = net.linear(x, 'linear', 'bn');
  x = net.linear(x, 'prob', null);
  return graph.build([graph.softmax(x, 'class')], description);
}

interface ConvolutionOptions {
  readonly stride?: 1 | 2;
  readonly depthwise?: boolean;
  readonly padding?: 'half' | 'none';
  /** Reverse the order of the input's channels. */
  readonly swapInputs?: boolean;
  readonly prelu?: boolean;
}

class MiniFasNetBuilder {
  readonly #graph: GraphBuilder;
  readonly #state: ReadonlyMap<string, TorchTensor>;

  constructor(graph: GraphBuilder, state: ReadonlyMap<string, TorchTensor>) {
    this.#graph = graph;
    this.#state = state;
  }

  /** Convolution, batch norm and optionally PReLU: upstream's `Conv_block` and `Linear_block`. */
  convolution(x: Value, name: string, options: ConvolutionOptions): Value {
    const y = this.#normalisedConvolution(x, `${name}.conv`, `${name}.bn`, options, 'none');
    if (options.prelu !== true) return y;
    return this.#graph.prelu(y, `${name}.prelu`, float32(this.#tensor(`${name}.prelu.weight`).values));
  }

  /** Upstream's `Depth_Wise`: expansion, depthwise convolution, projection. */
  bottleneck(x: Value, name: string, stride: 1 | 2): Value {
    const widened = this.convolution(x, `${name}.conv`, { prelu: true });
    const filtered = this.convolution(widened, `${name}.conv_dw`, { depthwise: true, stride, prelu: true });
    return this.convolution(filtered, `${name}.project`, {});
  }

  residual(x: Value, name: string): Value {
    const inner = this.bottleneck(x, name, 1);
    const weighted = this.#state.has(`module.${name}.se_module.fc1.weight`)
      ? this.#excited(inner, `${name}.se_module`)
      : inner;
    return this.#graph.add(x, weighted, `${name}.sum`);
  }

  /** A projection without bias, followed by the batch norm, if any. */
  linear(x: Value, name: string, norm: string | null): Value {
    const { shape, values } = this.#tensor(`${name}.weight`);
    const [outputs = 0, inputs = 0] = shape;
    const { gain, shift } = norm === null ? identity(outputs) : this.#batchNorm(norm);
    const weights = Float64Array.from(values, (value, i) => value * at(gain, Math.floor(i / inputs)));
    return this.#graph.fullyConnected(x, name, outputs, float32(weights), float32(shift));
  }

  /** Squeeze and excitation (Hu et al. 2018): weights each channel by a function of all channel means. */
  #excited(x: Value, name: string): Value {
    const squeezed = this.#graph.averagePool2d(x, { size: [x.shape[1] ?? 0, x.shape[2] ?? 0], stride: 1 });
    const hidden = this.#normalisedConvolution(squeezed, `${name}.fc1`, `${name}.bn1`, {}, 'relu');
    const logits = this.#normalisedConvolution(hidden, `${name}.fc2`, `${name}.bn2`, {}, 'none');
    return this.#graph.mul(x, this.#graph.logistic(logits, `${name}.weight`), `${name}.scaled`);
  }

  #normalisedConvolution(
    x: Value,
    name: string,
    norm: string,
    { stride = 1, depthwise = false, padding = 'half', swapInputs = false }: ConvolutionOptions,
    activation: 'none' | 'relu',
  ): Value {
    const { shape, values } = this.#tensor(`${name}.weight`);
    const [outputs = 0, inputs = 0, height = 0, width = 0] = shape;
    const { gain, shift } = this.#batchNorm(norm);
    const window = height * width;
    const filters = new Float64Array(values.length);
    values.forEach((value, i) => {
      // From [out, in, y, x] to [out, y, x, in]; depthwise from [channel, 1, y, x] to [1, y, x, channel].
      const o = Math.floor(i / (inputs * window));
      const channel = Math.floor(i / window) % inputs;
      const cell = i % window;
      const to = depthwise
        ? cell * outputs + o
        : (o * window + cell) * inputs + (swapInputs ? inputs - 1 - channel : channel);
      filters[to] = value * at(gain, o);
    });
    const common = { name, filters: float32(filters), bias: float32(shift), stride, activation };
    // For stride 2, TFLite's SAME puts the odd row at the end, PyTorch puts one at both ends.
    const explicit = padding === 'half' && stride === 2;
    const source = explicit
      ? this.#graph.pad(x, `${name}/border`, [
          [0, 0],
          [1, 1],
          [1, 1],
          [0, 0],
        ])
      : x;
    const scheme = padding === 'half' && !explicit ? 'same' : 'valid';
    return depthwise
      ? this.#graph.depthwiseConv2d(source, { ...common, shape: [1, height, width, outputs], padding: scheme })
      : this.#graph.conv2d(source, { ...common, shape: [outputs, height, width, inputs], padding: scheme });
  }

  /** y = gain · x + shift, the inference form of a batch norm (Ioffe & Szegedy 2015). */
  #batchNorm(name: string): { readonly gain: Float64Array; readonly shift: Float64Array } {
    const read = (part: string): Float32Array => this.#tensor(`${name}.${part}`).values;
    const [weight, bias, mean, variance] = [read('weight'), read('bias'), read('running_mean'), read('running_var')];
    const gain = Float64Array.from(weight, (w, i) => w / Math.sqrt(at(variance, i) + batchNormEpsilon));
    return { gain, shift: Float64Array.from(bias, (b, i) => b - at(mean, i) * at(gain, i)) };
  }

  #tensor(name: string): TorchTensor {
    // The prefix comes from upstream's training on several devices.
    const tensor = this.#state.get(`module.${name}`);
    if (tensor === undefined) throw new Error(`the state dictionary lacks ${name}`);
    return tensor;
  }
}

function identity(length: number): { gain: Float64Array; shift: Float64Array } {
  return { gain: new Float64Array(length).fill(1), shift: new Float64Array(length) };
}
