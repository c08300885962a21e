import {
  type EmscriptenHeap,
  type RuntimeAssets,
  runtimeFailed,
  type TensorInfo,
  type TfliteModel,
  type TfliteRuntime,
} from './port.ts';

interface Deletable {
  delete(): void;
}

interface IntVector extends Deletable {
  size(): number;
  get(i: number): number;
}

interface TensorType extends Deletable {
  layout(): Deletable & { dimensions(): IntVector };
  elementType(): { readonly value: number };
  bytes(): number;
}

interface TensorBuffer extends Deletable {
  lock(mode: unknown): number;
  unlock(): void;
  packedSize(): number;
}

interface LiteRtModelHandle extends Deletable {
  getSignature(i: number): Deletable & { inputNames(): IntVector; outputNames(): IntVector };
  getInputTensorType(signature: number, i: number): TensorType;
  getOutputTensorType(signature: number, i: number): TensorType;
}

interface CompiledModelHandle extends Deletable {
  run(signature: number, inputs: readonly TensorBuffer[]): TensorBuffer[] | Promise<TensorBuffer[]>;
}

interface LiteRtModule extends EmscriptenHeap {
  readonly LiteRtEnvironment: { create(device: null): Deletable };
  readonly LiteRtTensorBuffer: {
    createManaged(environment: Deletable, kind: unknown, type: TensorType, bytes: number): TensorBuffer;
  };
  readonly LiteRtTensorBufferType: { readonly HOST_MEMORY: unknown };
  readonly LiteRtTensorBufferLockMode: { readonly READ: unknown; readonly WRITE: unknown };
  loadModel(environment: Deletable, pointer: number, bytes: number): LiteRtModelHandle;
  compileModel(
    environment: Deletable,
    model: LiteRtModelHandle,
    options: object,
  ): CompiledModelHandle | Promise<CompiledModelHandle>;
}

const FLOAT32 = 1;

/**
 * Creates the second runtime: the WebAssembly build in `@litertjs/core`, on the CPU, one thread.
 *
 * LiteRT.js keeps one global instance, loads its glue by a script tag and copies every tensor. Its module factory has
 * none of these limits, so it is used directly; the interface belongs to the pinned version of the package.
 * @throws FaceError `runtime-failed` if the module does not start
 */
export async function createLiteRtRuntime(assets: RuntimeAssets): Promise<TfliteRuntime> {
  try {
    const module = (await assets.factory({
      wasmBinary: assets.wasmBinary,
      print: ignore,
      printErr: ignore,
    })) as LiteRtModule;
    return new LiteRtRuntime(module, module.LiteRtEnvironment.create(null));
  } catch (cause) {
    throw runtimeFailed('LiteRT did not start', cause);
  }
}

const ignore = (): void => {};

class LiteRtRuntime implements TfliteRuntime {
  readonly name = 'litert';
  readonly #models = new Set<LiteRtModel>();
  readonly #environment: Deletable;
  #module: LiteRtModule | null;

  constructor(module: LiteRtModule, environment: Deletable) {
    this.#module = module;
    this.#environment = environment;
  }

  async load(bytes: Uint8Array): Promise<TfliteModel> {
    const module = this.#module;
    if (module === null) throw runtimeFailed('the runtime was disposed');
    const pointer = module._malloc(bytes.length);
    if (pointer === 0) throw runtimeFailed('no memory for the model');
    try {
      module.HEAPU8.set(bytes, pointer);
      const handle = module.loadModel(this.#environment, pointer, bytes.length);
      const compiled = await module.compileModel(this.#environment, handle, {
        environment: { liteRtEnvironment: this.#environment, webGpuDevice: null, options: {} },
        accelerator: 'wasm',
        cpuOptions: { numThreads: 1 },
        gpuOptions: {},
        webNNOptions: {},
      });
      const parts = { module, environment: this.#environment, pointer, handle, compiled };
      const model = new LiteRtModel(parts, () => this.#models.delete(model));
      this.#models.add(model);
      return model;
    } catch (cause) {
      module._free(pointer);
      throw runtimeFailed('the model could not be loaded', cause);
    }
  }

  dispose(): void {
    if (this.#module === null) return;
    for (const model of this.#models) model.dispose();
    this.#environment.delete();
    this.#module.HEAPU8.fill(0);
    this.#module = null;
  }
}

interface LiteRtParts {
  readonly module: LiteRtModule;
  readonly environment: Deletable;
  readonly pointer: number;
  readonly handle: LiteRtModelHandle;
  readonly compiled: CompiledModelHandle;
}

class LiteRtModel implements TfliteModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #parts: LiteRtParts;
  readonly #onDispose: () => void;
  readonly #inputBuffers: readonly HostBuffer[];
  #outputBuffers: readonly HostBuffer[] = [];
  #disposed = false;

  constructor(parts: LiteRtParts, onDispose: () => void) {
    this.#parts = parts;
    this.#onDispose = onDispose;
    const { module, environment, handle } = parts;
    const signature = handle.getSignature(0);
    const inputs = Array.from({ length: vectorLength(signature.inputNames()) }, (_, i) => {
      const type = handle.getInputTensorType(0, i);
      const shape = shapeOf(type);
      const buffer = module.LiteRtTensorBuffer.createManaged(
        environment,
        module.LiteRtTensorBufferType.HOST_MEMORY,
        type,
        type.bytes(),
      );
      type.delete();
      return { shape, buffer };
    });
    this.#inputBuffers = inputs.map(({ buffer }) => new HostBuffer(module, buffer));
    this.inputs = inputs;
    this.outputs = Array.from({ length: vectorLength(signature.outputNames()) }, (_, i) => {
      const type = handle.getOutputTensorType(0, i);
      const shape = shapeOf(type);
      type.delete();
      return { shape };
    });
    signature.delete();
  }

  input(i: number): Float32Array {
    return viewOf(this.#disposed ? undefined : this.#inputBuffers[i]);
  }

  output(i: number): Float32Array {
    return viewOf(this.#outputBuffers[i]);
  }

  async run(): Promise<void> {
    if (this.#disposed) throw runtimeFailed('the model was disposed');
    this.#freeOutputs();
    try {
      const buffers = await this.#parts.compiled.run(
        0,
        this.#inputBuffers.map((b) => b.buffer),
      );
      this.#outputBuffers = buffers.map((buffer) => new HostBuffer(this.#parts.module, buffer));
    } catch (cause) {
      throw runtimeFailed('inference failed', cause);
    }
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#freeOutputs();
    for (const { buffer } of this.#inputBuffers) buffer.delete();
    this.#parts.compiled.delete();
    this.#parts.handle.delete();
    this.#parts.module._free(this.#parts.pointer);
    this.#onDispose();
  }

  #freeOutputs(): void {
    for (const { buffer } of this.#outputBuffers) buffer.delete();
    this.#outputBuffers = [];
  }
}

/** Host memory of one tensor: its address is fixed, its view is recreated when the memory has grown. */
class HostBuffer {
  readonly buffer: TensorBuffer;
  readonly #module: LiteRtModule;
  readonly #address: number;
  readonly #length: number;
  #view: Float32Array;

  constructor(module: LiteRtModule, buffer: TensorBuffer) {
    this.buffer = buffer;
    this.#module = module;
    this.#address = buffer.lock(module.LiteRtTensorBufferLockMode.WRITE);
    buffer.unlock();
    this.#length = buffer.packedSize() / Float32Array.BYTES_PER_ELEMENT;
    this.#view = this.#freshView();
  }

  view(): Float32Array {
    if (this.#view.buffer !== this.#module.HEAPU8.buffer) this.#view = this.#freshView();
    return this.#view;
  }

  #freshView(): Float32Array {
    return new Float32Array(this.#module.HEAPU8.buffer as ArrayBuffer, this.#address, this.#length);
  }
}

function viewOf(buffer: HostBuffer | undefined): Float32Array {
  if (buffer === undefined) throw runtimeFailed('no such tensor');
  return buffer.view();
}

function vectorLength(vector: IntVector): number {
  const length = vector.size();
  vector.delete();
  return length;
}

function shapeOf(type: TensorType): number[] {
  if (type.elementType().value !== FLOAT32) throw runtimeFailed('a tensor is not of 32-bit floats');
  const layout = type.layout();
  const dimensions = layout.dimensions();
  const shape = Array.from({ length: dimensions.size() }, (_, i) => dimensions.get(i));
  dimensions.delete();
  layout.delete();
  return shape;
}
