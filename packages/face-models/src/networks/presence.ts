import type { TorchTensor } from '../sources/torch-checkpoint.ts';
import { type Activation, GraphBuilder, type Value } from '../tflite/graph-builder.ts';
import { at, type Weights } from '../tflite/weights.ts';

/** The two networks of «presence»: one sees the surroundings of the face, one the face. */
export type PresenceBranch = 'context' | 'texture';

/** Side of the input of each, pixels. */
const side = 80;

/** Strides of the inverted residual blocks; their channels follow from the weights. */
const strides = [2, 1, 2, 1, 1, 2, 1, 1] as const;

type State = ReadonlyMap<string, TorchTensor>;

/**
 * Compiles one branch of «presence», this project's own passive-liveness network, from its state dictionary
 * (`training/weights/presence.pth`): an RGB crop in −1 to 1 → `logit`, the natural log odds of a live person. A stem,
 * eight inverted residual blocks (Sandler et al. 2018), a head whose channels are weighted per position, and a hidden
 * layer; batch norms are folded at export.
 *
 * Filters and biases keep the file's 16-bit floats bit for bit. Padding is TensorFlow's SAME (for an even size and
 * stride 2: a row after, none before), as in training.
 *
 * @param state of both branches
 * @throws Error if a tensor is missing, is not of 16-bit floats, or has the wrong shape
 */
export function compilePresence(state: State, branch: PresenceBranch, description: string): Uint8Array {
  const graph = new GraphBuilder();
  const net = new PresenceBuilder(graph, state, branch);
  let x = net.convolution(graph.input('crop', [1, side, side, 3]), 'stem', { stride: 2, activation: 'relu' });
  strides.forEach((stride, i) => {
    x = net.block(x, `blocks.${i}`, stride);
  });
  x = net.convolution(x, 'head', { activation: 'relu' });
  x = net.depthwise(x, 'pool', { padding: 'valid' });
  x = net.convolution(x, 'hidden', { activation: 'relu' });
  return graph.build([net.dense(x, 'dense', 'logit')], description);
}

interface LayerOptions {
  readonly stride?: 1 | 2;
  readonly activation?: Activation;
  readonly padding?: 'same' | 'valid';
}

class PresenceBuilder {
  readonly #graph: GraphBuilder;
  readonly #state: State;
  readonly #branch: PresenceBranch;

  constructor(graph: GraphBuilder, state: State, branch: PresenceBranch) {
    this.#graph = graph;
    this.#state = state;
    this.#branch = branch;
  }

  convolution(x: Value, name: string, { stride = 1, activation = 'none' }: LayerOptions = {}): Value {
    const { shape, halves } = this.#tensor(`${name}.weight`);
    const [outputs = 0, inputs = 0, height = 0, width = 0] = shape;
    const window = height * width;
    // From [out, in, y, x] to [out, y, x, in].
    const from = (i: number) => {
      const [o, cell, channel] = [Math.floor(i / (window * inputs)), Math.floor(i / inputs) % window, i % inputs];
      return (o * inputs + channel) * window + cell;
    };
    return this.#graph.conv2d(x, {
      name,
      shape: [outputs, height, width, inputs],
      filters: float16(halves, from),
      bias: this.#bias(name),
      stride,
      padding: 'same',
      activation,
    });
  }

  /** Expansion, depthwise convolution, projection; plus the input where the sizes are equal. */
  block(x: Value, name: string, stride: 1 | 2): Value {
    const widened = this.convolution(x, `${name}.expand`, { activation: 'relu' });
    const filtered = this.depthwise(widened, `${name}.depthwise`, { stride, activation: 'relu' });
    const projected = this.convolution(filtered, `${name}.project`);
    const isSameSize = stride === 1 && projected.shape[3] === x.shape[3];
    return isSameSize ? this.#graph.add(x, projected, `${name}.sum`) : projected;
  }

  depthwise(x: Value, name: string, { stride = 1, activation = 'none', padding = 'same' }: LayerOptions): Value {
    const { shape, halves } = this.#tensor(`${name}.weight`);
    const [channels = 0, , height = 0, width = 0] = shape;
    const window = height * width;
    return this.#graph.depthwiseConv2d(x, {
      name,
      shape: [1, height, width, channels],
      // From [channel, 1, y, x] to [1, y, x, channel].
      filters: float16(halves, (i) => (i % channels) * window + Math.floor(i / channels)),
      bias: this.#bias(name),
      stride,
      padding,
      activation,
    });
  }

  dense(x: Value, name: string, output: string): Value {
    const { shape, halves } = this.#tensor(`${name}.weight`);
    return this.#graph.fullyConnected(x, output, shape[0] ?? 0, float16(halves), this.#bias(name));
  }

  #bias(name: string): Weights {
    return float16(this.#tensor(`${name}.bias`).halves);
  }

  #tensor(name: string): { readonly shape: readonly number[]; readonly halves: Uint16Array } {
    const tensor = this.#state.get(`${this.#branch}.${name}`);
    if (tensor?.halves == null) throw new Error(`the state lacks ${this.#branch}.${name} in 16-bit floats`);
    return { shape: tensor.shape, halves: tensor.halves };
  }
}

/** @param from source index of an element; default: the same index */
const float16 = (halves: Uint16Array, from: (i: number) => number = (i) => i): Weights => ({
  type: 'float16',
  values: halves.map((_, i) => at(halves, from(i))),
});
