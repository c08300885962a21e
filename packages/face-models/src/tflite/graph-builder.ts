import { type FlatTable, f32, i8, i32, nodes, table, text, u8, u32, vector, writeFlatBuffer } from './flatbuffer.ts';
import {
  activation,
  fileIdentifier,
  type OperatorName,
  operators,
  padding,
  schemaVersion,
  tensorType,
} from './schema.ts';
import type { Weights } from './weights.ts';

/** A tensor of the graph under construction. */
export interface Value {
  readonly index: number;
  readonly shape: readonly number[];
}

export type Activation = keyof typeof activation;
export type Padding = keyof typeof padding;

export interface ConvolutionOptions {
  readonly name: string;
  /** `[out, height, width, in]`; depthwise: `[1, height, width, channels]`. */
  readonly shape: readonly [number, number, number, number];
  readonly filters: Weights;
  readonly bias: Weights;
  readonly stride?: number;
  readonly padding: Padding;
  readonly activation?: Activation;
}

export interface PoolOptions {
  readonly size: readonly [height: number, width: number];
  readonly stride: number;
}

/** Builds one subgraph of float operations, tensors NHWC with batch 1, and writes it as a `.tflite` file. */
export class GraphBuilder {
  readonly #tensors: FlatTable[] = [];
  // Buffer 0 is empty by convention, for tensors without constant data.
  readonly #buffers: FlatTable[] = [table()];
  readonly #operators: FlatTable[] = [];
  readonly #codes: OperatorName[] = [];
  readonly #inputs: number[] = [];

  input(name: string, shape: readonly number[]): Value {
    const value = this.#tensor(name, shape, tensorType.float32);
    this.#inputs.push(value.index);
    return value;
  }

  conv2d(x: Value, o: ConvolutionOptions): Value {
    return this.#convolution('conv2d', x, o, o.shape[0]);
  }

  depthwiseConv2d(x: Value, o: ConvolutionOptions): Value {
    return this.#convolution('depthwiseConv2d', x, o, o.shape[3]);
  }

  maxPool2d(x: Value, o: PoolOptions): Value {
    return this.#pool('maxPool2d', x, o);
  }

  averagePool2d(x: Value, o: PoolOptions): Value {
    return this.#pool('averagePool2d', x, o);
  }

  /** `weights` is `[out, in]`; `x` is flattened. */
  fullyConnected(x: Value, name: string, outputs: number, weights: Weights, bias: Weights): Value {
    const inputs = size(x.shape);
    const parameters = [
      this.#constant(`${name}/weights`, [outputs, inputs], weights),
      this.#constant(`${name}/bias`, [outputs], bias),
    ];
    const options = table(i8(activation.none), i8(0), u8(0), u8(0));
    return this.#operator('fullyConnected', [x, ...parameters], name, [1, outputs], options);
  }

  add(a: Value, b: Value, name: string, fused: Activation = 'none'): Value {
    return this.#operator('add', [a, b], name, a.shape, table(i8(activation[fused])));
  }

  /** Adds one constant per channel. */
  shift(x: Value, name: string, amounts: Weights): Value {
    const channels = x.shape[x.shape.length - 1] ?? 0;
    return this.add(x, this.#constant(`${name}/amounts`, [1, 1, 1, channels], amounts), name);
  }

  /** `b` is broadcast. */
  mul(a: Value, b: Value, name: string): Value {
    return this.#operator('mul', [a, b], name, a.shape, table(i8(activation.none)));
  }

  /** Pads with zeros; `[before, after]` for each dimension. */
  pad(x: Value, name: string, amounts: readonly (readonly [number, number])[]): Value {
    const shape = x.shape.map((n, i) => n + (amounts[i]?.[0] ?? 0) + (amounts[i]?.[1] ?? 0));
    const constant = this.#stored(
      `${name}/amounts`,
      [amounts.length, 2],
      tensorType.int32,
      Int32Array.from(amounts.flat()),
    );
    return this.#operator('pad', [x, constant], name, shape, table());
  }

  /** `slopes` has one value per channel. */
  prelu(x: Value, name: string, slopes: Weights): Value {
    const channels = x.shape[x.shape.length - 1] ?? 0;
    return this.#operator(
      'prelu',
      [x, this.#constant(`${name}/slopes`, [1, 1, channels], slopes)],
      name,
      x.shape,
      null,
    );
  }

  logistic(x: Value, name: string): Value {
    return this.#operator('logistic', [x], name, x.shape, null);
  }

  softmax(x: Value, name: string): Value {
    return this.#operator('softmax', [x], name, x.shape, table(f32(1)));
  }

  /** The finished file; deterministic. @param description shown by model viewers */
  build(outputs: readonly Value[], description: string): Uint8Array {
    const codes = this.#codes.map((name) => {
      const { code, version } = operators[name];
      // Old readers use the first field, new ones the last.
      return table(i8(code), null, i32(version), i32(code));
    });
    const subgraph = table(
      nodes(this.#tensors),
      vector(Int32Array.from(this.#inputs)),
      vector(Int32Array.from(outputs, ({ index }) => index)),
      nodes(this.#operators),
      text('main'),
    );
    const model = table(u32(schemaVersion), nodes(codes), nodes([subgraph]), text(description), nodes(this.#buffers));
    return writeFlatBuffer(model, fileIdentifier);
  }

  #convolution(kind: 'conv2d' | 'depthwiseConv2d', x: Value, o: ConvolutionOptions, outputs: number): Value {
    const { stride = 1 } = o;
    const [, height, width, inputs] = o.shape;
    if (inputs !== x.shape[3]) throw new RangeError(`${o.name}: filters of ${inputs} channels for ${x.shape[3]}`);
    const multiplier = kind === 'depthwiseConv2d' ? [i32(1)] : [];
    const dilations = [i32(1), i32(1)];
    const window = [i8(padding[o.padding]), i32(stride), i32(stride), ...multiplier];
    const options = table(...window, i8(activation[o.activation ?? 'none']), ...dilations);
    const shape = [1, ...this.#extent(x, [height, width], stride, o.padding), outputs];
    const parameters = [
      this.#constant(`${o.name}/filters`, o.shape, o.filters),
      this.#constant(`${o.name}/bias`, [outputs], o.bias),
    ];
    return this.#operator(kind, [x, ...parameters], o.name, shape, options);
  }

  #pool(kind: 'maxPool2d' | 'averagePool2d', x: Value, { size: [height, width], stride }: PoolOptions): Value {
    const options = table(i8(padding.valid), i32(stride), i32(stride), i32(width), i32(height), i8(activation.none));
    const shape = [1, ...this.#extent(x, [height, width], stride, 'valid'), x.shape[3] ?? 0];
    return this.#operator(kind, [x], `${kind}_${this.#tensors.length}`, shape, options);
  }

  #extent(x: Value, window: readonly [number, number], stride: number, kind: Padding): number[] {
    return window.map((length, i) => {
      const available = x.shape[1 + i] ?? 0;
      return kind === 'same' ? Math.ceil(available / stride) : Math.floor((available - length) / stride) + 1;
    });
  }

  #constant(name: string, shape: readonly number[], weights: Weights): Value {
    if (weights.values.length !== size(shape))
      throw new RangeError(`${name}: ${weights.values.length} values for [${shape}]`);
    if (weights.type === 'float32') return this.#stored(name, shape, tensorType.float32, weights.values);
    if (weights.type === 'float16') {
      const halves = this.#stored(`${name}/halves`, shape, tensorType.float16, weights.values);
      return this.#operator('dequantizeFloat16', [halves], name, shape, table());
    }
    const { scales, zeroPoints, axis } = weights;
    const quantization = table(null, null, vector(scales), vector(zeroPoints), null, null, i32(axis));
    const stored = this.#stored(`${name}/bytes`, shape, tensorType.int8, weights.values, quantization);
    const kind = scales.length === 1 ? 'dequantizeInt8' : 'dequantizePerChannel';
    return this.#operator(kind, [stored], name, shape, table());
  }

  #stored(
    name: string,
    shape: readonly number[],
    type: number,
    values: Int8Array | Uint16Array | Int32Array | Float32Array,
    quantization: FlatTable | null = null,
  ): Value {
    // The schema requires a buffer's data at a multiple of 16.
    const bytes = vector(values, 16);
    this.#buffers.push(table({ ...bytes, length: bytes.bytes.length }));
    return this.#tensor(name, shape, type, this.#buffers.length - 1, quantization);
  }

  #tensor(
    name: string,
    shape: readonly number[],
    type: number,
    buffer = 0,
    quantization: FlatTable | null = null,
  ): Value {
    this.#tensors.push(table(vector(Int32Array.from(shape)), i8(type), u32(buffer), text(name), quantization));
    return { index: this.#tensors.length - 1, shape };
  }

  #operator(
    kind: OperatorName,
    inputs: readonly Value[],
    name: string,
    shape: readonly number[],
    options: FlatTable | null,
  ): Value {
    const output = this.#tensor(name, shape, tensorType.float32);
    if (!this.#codes.includes(kind)) this.#codes.push(kind);
    this.#operators.push(
      table(
        u32(this.#codes.indexOf(kind)),
        vector(Int32Array.from(inputs, ({ index }) => index)),
        vector(Int32Array.of(output.index)),
        options === null ? null : u8(operators[kind].options),
        options,
      ),
    );
    return output;
  }
}

const size = (shape: readonly number[]): number => shape.reduce((product, n) => product * n, 1);
