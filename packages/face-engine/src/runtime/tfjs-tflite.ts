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

interface WebTensor extends Deletable {
  readonly dataType: string;
  readonly shape: string;
  data(): ArrayBufferView;
}

interface WebTensors extends Deletable {
  size(): number;
  get(i: number): WebTensor;
}

interface WebModelRunner extends Deletable {
  GetInputs(): WebTensors;
  GetOutputs(): WebTensors;
  Infer(): boolean;
}

interface WebModelRunnerStatus extends Deletable {
  ok(): boolean;
  value(): WebModelRunner;
}

interface TfliteWebModule extends EmscriptenHeap {
  readonly TFLiteWebModelRunner: {
    CreateFromBufferAndOptions(
      pointer: number,
      bytes: number,
      options: { numThreads: number; enableProfiling: boolean; maxProfilingBufferEntries: number },
    ): WebModelRunnerStatus;
  };
}

/**
 * Creates the default runtime: the WebAssembly build in `@tensorflow/tfjs-tflite`, without TensorFlow.js.
 *
 * The package's public loader needs a browser and copies tensors; its module factory does neither. One thread: threads
 * need cross-origin isolation in a browser, and on a server one instance per worker thread scales better.
 * @throws FaceError `runtime-failed` if the module does not start
 */
export async function createTfjsTfliteRuntime(assets: RuntimeAssets): Promise<TfliteRuntime> {
  const module = (await assets
    .factory({ wasmBinary: assets.wasmBinary, print: ignore, printErr: ignore })
    .catch((cause: unknown) => {
      throw runtimeFailed('tfjs-tflite did not start', cause);
    })) as TfliteWebModule;
  return new TfjsTfliteRuntime(module);
}

const ignore = (): void => {};

class TfjsTfliteRuntime implements TfliteRuntime {
  readonly name = 'tfjs-tflite';
  readonly #models = new Set<TfjsTfliteModel>();
  #module: TfliteWebModule | null;

  constructor(module: TfliteWebModule) {
    this.#module = module;
  }

  async load(bytes: Uint8Array): Promise<TfliteModel> {
    const module = this.#module;
    if (module === null) throw runtimeFailed('the runtime was disposed');
    const pointer = module._malloc(bytes.length);
    if (pointer === 0) throw runtimeFailed('no memory for the model');
    try {
      module.HEAPU8.set(bytes, pointer);
      const status = module.TFLiteWebModelRunner.CreateFromBufferAndOptions(pointer, bytes.length, {
        numThreads: 1,
        enableProfiling: false,
        maxProfilingBufferEntries: 1,
      });
      if (!status.ok()) throw runtimeFailed('the runtime refused the model');
      const model = new TfjsTfliteModel(module, pointer, status.value(), () => this.#models.delete(model));
      this.#models.add(model);
      return model;
    } catch (cause) {
      module._free(pointer);
      throw runtimeFailed('the model could not be loaded', cause);
    }
  }

  dispose(): void {
    for (const model of this.#models) model.dispose();
    this.#module?.HEAPU8.fill(0);
    this.#module = null;
  }
}

class TfjsTfliteModel implements TfliteModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #module: TfliteWebModule;
  readonly #pointer: number;
  readonly #onDispose: () => void;
  readonly #inputTensors: readonly FloatTensor[];
  readonly #outputTensors: readonly FloatTensor[];
  #runner: WebModelRunner | null;

  constructor(module: TfliteWebModule, pointer: number, runner: WebModelRunner, onDispose: () => void) {
    this.#module = module;
    this.#pointer = pointer;
    this.#runner = runner;
    this.#onDispose = onDispose;
    this.#inputTensors = floatTensors(runner.GetInputs());
    this.#outputTensors = floatTensors(runner.GetOutputs());
    this.inputs = this.#inputTensors;
    this.outputs = this.#outputTensors;
  }

  input(i: number): Float32Array {
    return this.#view(this.#inputTensors, i);
  }

  output(i: number): Float32Array {
    return this.#view(this.#outputTensors, i);
  }

  async run(): Promise<void> {
    if (this.#runner === null) throw runtimeFailed('the model was disposed');
    let done = false;
    try {
      done = this.#runner.Infer();
    } catch (cause) {
      throw runtimeFailed('inference trapped', cause);
    }
    if (!done) throw runtimeFailed('inference failed');
  }

  dispose(): void {
    if (this.#runner === null) return;
    for (const t of [...this.#inputTensors, ...this.#outputTensors]) t.handle.delete();
    this.#runner.delete();
    this.#runner = null;
    this.#module._free(this.#pointer);
    this.#onDispose();
  }

  #view(tensors: readonly FloatTensor[], i: number): Float32Array {
    const tensor = tensors[i];
    if (tensor === undefined || this.#runner === null) throw runtimeFailed('no such tensor');
    if (tensor.view.buffer !== this.#module.HEAPU8.buffer) tensor.view = floatView(tensor.handle);
    return tensor.view;
  }
}

interface FloatTensor extends TensorInfo {
  readonly handle: WebTensor;
  view: Float32Array;
}

function floatTensors(list: WebTensors): FloatTensor[] {
  const tensors = Array.from({ length: list.size() }, (_, i) => {
    const handle = list.get(i);
    return { handle, shape: handle.shape.split(',').map(Number), view: floatView(handle) };
  });
  list.delete();
  return tensors;
}

function floatView(handle: WebTensor): Float32Array {
  const view = handle.data();
  if (!(view instanceof Float32Array)) throw runtimeFailed('a tensor is not of 32-bit floats');
  return view;
}
