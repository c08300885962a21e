import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ConvolutionLayer, DepthwiseLayer, NetworkLayer, NetworkPlan } from '@svc/core/network';
import { packageFolder } from '../environment.ts';
import type { PeerNetwork } from './networks.ts';

/** A message of Protocol Buffers: by number of a field its whole numbers, texts, bytes or messages. */
interface Message {
  readonly [field: number]: Value | readonly Value[];
}
type Value = number | string | Uint8Array | Message;

const varint = (n: number): number[] => (n < 128 ? [n] : [(n % 128) + 128, ...varint(Math.floor(n / 128))]);

function encodeField(field: number, value: Value): Uint8Array {
  if (typeof value === 'number') return Uint8Array.from([...varint(field * 8), ...varint(value)]);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value instanceof Uint8Array ? value : encode(value);
  return Buffer.concat([Uint8Array.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes]);
}

const encode = (message: Message): Uint8Array =>
  Buffer.concat(
    Object.entries(message).flatMap(([field, values]) =>
      (Array.isArray(values) ? values : [values]).map((value: Value) => encodeField(Number(field), value)),
    ),
  );

/** TensorProto.DataType */
const dataTypes = { Float32Array: 1, Uint8Array: 2, Int8Array: 3 } as const;
type Attributes = Readonly<Record<string, number | readonly number[]>>;

const greatest = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);

/** Writes a plan as an ONNX model: planes of channels inside, input and outputs as the plan has them. */
class OnnxWriter {
  readonly #nodes: Message[] = [];
  readonly #constants: Message[] = [];
  readonly #names: string[] = [];
  readonly #ranges: readonly number[] | null;

  /** @param ranges greatest value of each map, to compute on bytes: weights have a scale an output; null: floats */
  constructor(ranges: readonly number[] | null) {
    this.#ranges = ranges;
  }

  #constant(values: Float32Array | Uint8Array | Int8Array, dims: readonly number[] = []): string {
    const name = `c${this.#constants.length}`;
    const type = dataTypes[values.constructor.name as keyof typeof dataTypes];
    const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.#constants.push({ 1: dims, 2: type, 8: name, 9: raw });
    return name;
  }

  /** @returns the node's output */
  #node(operator: string, inputs: readonly string[], attributes: Attributes = {}): string {
    const output = `n${this.#nodes.length}`;
    const all = Object.entries(attributes).map(([name, value]) =>
      typeof value === 'number' ? { 1: name, 3: value, 20: 2 } : { 1: name, 8: value, 20: 7 },
    );
    this.#nodes.push({ 1: inputs, 2: output, 4: operator, 5: all });
    return output;
  }

  /** Names a map; as bytes and back where the runtime shall compute on bytes. */
  #set(map: number, value: string): void {
    const scale = this.#constant(Float32Array.of((this.#ranges?.[map] ?? 1) / 127));
    const how = [scale, this.#constant(Uint8Array.of(128))];
    const bytes = () => this.#node('DequantizeLinear', [this.#node('QuantizeLinear', [value, ...how]), ...how]);
    this.#names[map] = this.#ranges === null ? value : bytes();
  }

  /** Filters, turned to `[outputs][channels][height][width]`. */
  #filters({ kind, filters, size, bias: { length: outputs } }: ConvolutionLayer | DepthwiseLayer): string {
    const each = filters.length / outputs;
    const isDeep = kind === 'depthwise';
    const dims = isDeep ? [1, ...size, outputs] : [outputs, ...size, each / (size[0] * size[1])];
    const perm = isDeep ? [3, 0, 1, 2] : [0, 3, 1, 2];
    if (this.#ranges === null) return this.#node('Transpose', [this.#constant(filters, dims)], { perm });
    const outputOf = (i: number) => (isDeep ? i % outputs : Math.floor(i / each));
    const scales = new Float32Array(outputs);
    filters.forEach((value, i) => {
      scales[outputOf(i)] = Math.max(scales[outputOf(i)] ?? 0, Math.abs(value) / 127);
    });
    const bytes = Int8Array.from(filters, (value, i) => Math.round(value / (scales[outputOf(i)] || 1)));
    const turned = this.#node('Transpose', [this.#constant(bytes, dims)], { perm });
    const how = [this.#constant(scales, [outputs]), this.#constant(new Int8Array(outputs), [outputs])];
    return this.#node('DequantizeLinear', [turned, ...how], { axis: 0 });
  }

  #rectified(value: string, slopes: Float32Array): string {
    return this.#node('PRelu', [value, this.#constant(slopes, [slopes.length, 1, 1])]);
  }

  #value(layer: NetworkLayer): string {
    const input = 'input' in layer ? (this.#names[layer.input] ?? '') : '';
    const vector = (values: Float32Array) => this.#constant(values, [1, values.length, 1, 1]);
    switch (layer.kind) {
      case 'convolution':
      case 'depthwise': {
        const { stride, border, bias } = layer;
        const [top, bottom, left, right] = border;
        const group = layer.kind === 'depthwise' ? bias.length : 1;
        const window = { strides: [stride, stride], pads: [top, left, bottom, right], group };
        return this.#node('Conv', [input, this.#filters(layer), this.#constant(bias, [bias.length])], window);
      }
      case 'affine':
        return this.#node('Add', [this.#node('Mul', [input, vector(layer.scales)]), vector(layer.offsets)]);
      case 'scale':
        return this.#node('Mul', [input, this.#names[layer.gates] ?? '']);
      case 'average-pool':
        return this.#node('AveragePool', [input], { kernel_shape: layer.size });
      case 'logistic':
        return this.#node('Sigmoid', [input]);
      default:
        throw new Error(`no ${layer.kind} is written`);
    }
  }

  /** @param outputs maps to hand out */
  write({ maps, input, layers }: NetworkPlan, outputs: readonly number[]): Uint8Array {
    const { height, width, channels } = maps[input] ?? { height: 0, width: 0, channels: 0 };
    this.#set(input, this.#node('Transpose', ['input'], { perm: [0, 3, 1, 2] }));
    for (const layer of layers) {
      const residual = 'residual' in layer && layer.residual !== null ? this.#names[layer.residual] : undefined;
      const value = this.#value(layer);
      const sum = residual === undefined ? value : this.#node('Add', [value, residual]);
      const slopes = 'activation' in layer ? layer.activation : 'none';
      if (slopes === 'relu') throw new Error('no rectifier is written');
      this.#set(layer.output, slopes === 'none' ? sum : this.#rectified(sum, slopes));
    }
    const results = outputs.map((map) => this.#node('Transpose', [this.#names[map] ?? ''], { perm: [0, 2, 3, 1] }));
    const shape = { 1: [1, height, width, channels].map((n) => ({ 1: n })) };
    const graph = {
      1: this.#nodes,
      2: 'network',
      5: this.#constants,
      11: { 1: 'input', 2: { 1: { 1: 1, 2: shape } } },
      12: results.map((name) => ({ 1: name, 2: { 1: { 1: 1 } } })),
    };
    return encode({ 1: 8, 7: graph, 8: { 1: '', 2: 13 } });
  }
}

type Tensor = { readonly data: Float32Array };
type Tensors = Readonly<Record<string, Tensor>>;

type Session = { readonly outputNames: readonly string[]; run(inputs: Tensors): Promise<Tensors> };

/** What is used of the package. */
interface OnnxRuntime {
  readonly env: { readonly wasm: { numThreads: number } };
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => Tensor;
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<Session>;
  };
}

async function openOnnx({ maps, input: map }: NetworkPlan, model: Uint8Array): Promise<PeerNetwork> {
  const path = join(packageFolder('onnxruntime-web'), 'dist', 'ort.node.min.js');
  const onnx: OnnxRuntime = createRequire(import.meta.url)(path);
  onnx.env.wasm.numThreads = 1;
  const session = await onnx.InferenceSession.create(model, { logSeverityLevel: 3 });
  const { height, width, channels } = maps[map] ?? { height: 0, width: 0, channels: 0 };
  const input = new Float32Array(height * width * channels);
  let results: Tensors = {};
  return {
    input: () => input,
    output: (i) => results[session.outputNames[i] ?? '']?.data ?? [],
    async run() {
      results = await session.run({ input: new onnx.Tensor('float32', input, [1, height, width, channels]) });
    },
  };
}

/** A network in ONNX Runtime Web on one thread: in floats, and in bytes by the ranges of its values on a picture. */
export async function loadOnnx(plan: NetworkPlan, picture: Float32Array): Promise<readonly [PeerNetwork, PeerNetwork]> {
  const all = [plan.input, ...plan.layers.map(({ output }) => output)];
  const watched = await openOnnx(plan, new OnnxWriter(null).write(plan, all));
  watched.input(0).set(picture);
  await watched.run();
  const ranges: number[] = [];
  for (const [i, map] of all.entries()) ranges[map] = greatest(watched.output(i));
  const open = (own: number[] | null) => openOnnx(plan, new OnnxWriter(own).write(plan, plan.outputs));
  return [await open(null), await open(ranges)];
}
