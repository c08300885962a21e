import { type EmscriptenHeap, type LoadedModel, loadFromHeap, type RuntimeAssets, startModule } from './adapter.ts';
import { runtimeFailed, type TfliteRuntime } from './port.ts';

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
export function createLiteRtRuntime(assets: RuntimeAssets): Promise<TfliteRuntime> {
  return startModule(assets, (module: LiteRtModule) => {
    const environment = module.LiteRtEnvironment.create(null);
    return {
      name: 'litert',
      load: (bytes) =>
        loadFromHeap(module, bytes, async (pointer) => {
          const handle = module.loadModel(environment, pointer, bytes.length);
          const compiled = await module.compileModel(environment, handle, {
            environment: { liteRtEnvironment: environment, webGpuDevice: null, options: {} },
            accelerator: 'wasm',
            cpuOptions: { numThreads: 1 },
            gpuOptions: {},
            webNNOptions: {},
          });
          return modelOf(module, environment, handle, compiled);
        }),
      dispose() {
        environment.delete();
        module.HEAPU8.fill(0);
      },
    };
  });
}

function modelOf(
  module: LiteRtModule,
  environment: Deletable,
  handle: LiteRtModelHandle,
  compiled: CompiledModelHandle,
): LoadedModel {
  const signature = handle.getSignature(0);
  const inputs = Array.from({ length: vectorLength(signature.inputNames()) }, (_, i) => {
    const type = handle.getInputTensorType(0, i);
    const kind = module.LiteRtTensorBufferType.HOST_MEMORY;
    const buffer = module.LiteRtTensorBuffer.createManaged(environment, kind, type, type.bytes());
    return { shape: shapeOf(type), host: new HostBuffer(module, buffer) };
  });
  const outputs = Array.from({ length: vectorLength(signature.outputNames()) }, (_, i) => ({
    shape: shapeOf(handle.getOutputTensorType(0, i)),
  }));
  signature.delete();
  let results: readonly HostBuffer[] = [];
  const freeResults = (): void => {
    for (const { buffer } of results) buffer.delete();
    results = [];
  };
  return {
    inputs,
    outputs,
    input: (i) => inputs[i]?.host.view(),
    output: (i) => results[i]?.view(),
    async run() {
      freeResults();
      const buffers = inputs.map(({ host }) => host.buffer);
      results = (await compiled.run(0, buffers)).map((buffer) => new HostBuffer(module, buffer));
    },
    dispose() {
      freeResults();
      for (const { host } of inputs) host.buffer.delete();
      compiled.delete();
      handle.delete();
    },
  };
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

function vectorLength(vector: IntVector): number {
  const length = vector.size();
  vector.delete();
  return length;
}

/** Deletes the type. */
function shapeOf(type: TensorType): number[] {
  if (type.elementType().value !== FLOAT32) throw runtimeFailed('a tensor is not of 32-bit floats');
  const layout = type.layout();
  const dimensions = layout.dimensions();
  const shape = Array.from({ length: dimensions.size() }, (_, i) => dimensions.get(i));
  dimensions.delete();
  layout.delete();
  type.delete();
  return shape;
}
