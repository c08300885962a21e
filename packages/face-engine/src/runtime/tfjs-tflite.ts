import { createRuntime, type LoadedModel } from './adapter.ts';
import { type NetworkRuntime, runtimeFailed, type TensorInfo } from './port.ts';

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

/** The emscripten module in the npm package. */
interface TfliteWebModule {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly TFLiteWebModelRunner: {
    CreateFromBufferAndOptions(
      pointer: number,
      bytes: number,
      options: { numThreads: number; enableProfiling: boolean; maxProfilingBufferEntries: number },
    ): WebModelRunnerStatus;
  };
}

/** The module's factory (`MODULARIZE`). */
export type EmscriptenFactory = (options: Record<string, unknown>) => Promise<unknown>;

/** The glue code's factory and the matching WebAssembly binary. */
export interface RuntimeAssets {
  readonly factory: EmscriptenFactory;
  readonly wasmBinary: Uint8Array;
}

/**
 * Creates the TFLite runtime: the WebAssembly build in `@tensorflow/tfjs-tflite`, without TensorFlow.js.
 *
 * The package's public loader needs a browser and copies tensors; its module factory does neither. One thread: threads
 * need cross-origin isolation in a browser, and on a server one instance per worker thread scales better.
 * @throws FaceError `runtime-failed` if the module does not start
 */
export async function createTfjsTfliteRuntime({ factory, wasmBinary }: RuntimeAssets): Promise<NetworkRuntime> {
  const ignore = (): void => {};
  try {
    const module = (await factory({ wasmBinary, print: ignore, printErr: ignore })) as TfliteWebModule;
    return createRuntime({
      name: 'tfjs-tflite',
      load: async (bytes) => load(module, bytes),
      dispose: () => void module.HEAPU8.fill(0),
    });
  } catch (cause) {
    throw runtimeFailed('the runtime did not start', cause);
  }
}

/** Copies a model's bytes into the module's memory, where they stay as long as the model; frees them if it fails. */
function load(module: TfliteWebModule, bytes: Uint8Array): LoadedModel {
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
    return modelOf(module, status.value(), pointer);
  } catch (cause) {
    module._free(pointer);
    throw runtimeFailed('the model could not be loaded', cause);
  }
}

function modelOf(module: TfliteWebModule, runner: WebModelRunner, pointer: number): LoadedModel {
  const [inputs, outputs] = [floatTensors(runner.GetInputs()), floatTensors(runner.GetOutputs())];
  const view = (tensor: FloatTensor | undefined): Float32Array | undefined => {
    if (tensor !== undefined && tensor.view.buffer !== module.HEAPU8.buffer) tensor.view = floatView(tensor.handle);
    return tensor?.view;
  };
  return {
    inputs,
    outputs,
    input: (i) => view(inputs[i]),
    output: (i) => view(outputs[i]),
    run() {
      if (!runner.Infer()) throw runtimeFailed('inference failed');
    },
    dispose() {
      for (const { handle } of [...inputs, ...outputs]) handle.delete();
      runner.delete();
      module._free(pointer);
    },
  };
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
