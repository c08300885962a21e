import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import { type CoreKind, coreKind } from '@svc/core';
import { createRuntime, type LoadedModel } from '../runtime/adapter.ts';
import { type NetworkRuntime, runtimeFailed, type TensorInfo } from '../runtime/port.ts';

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
type EmscriptenFactory = (options: Record<string, unknown>) => Promise<unknown>;

/** Its builds for one thread. Neither needs relaxed SIMD, and the scalar one no SIMD. */
const builds: Readonly<Record<CoreKind, string>> = {
  simd: 'tflite_web_api_cc_simd',
  scalar: 'tflite_web_api_cc',
};

/**
 * Creates the TFLite runtime: the WebAssembly build in `@tensorflow/tfjs-tflite`, without TensorFlow.js. Who brings a
 * network that the core does not run installs that package: no package of ours carries it.
 *
 * The package's public loader needs a browser and copies tensors; its module factory does neither. One thread: on a
 * server one instance per worker thread scales better.
 * @param kind default: that of the core here
 * @throws FaceError `runtime-failed` if the package is not installed or the module does not start
 */
export async function createTfjsTfliteNodeRuntime(kind: CoreKind = coreKind()): Promise<NetworkRuntime> {
  const ignore = (): void => {};
  const { factory, wasmBinary } = await readBuild(builds[kind]);
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

async function readBuild(name: string): Promise<{ factory: EmscriptenFactory; wasmBinary: Uint8Array }> {
  const require = createRequire(import.meta.url);
  try {
    const path = join(dirname(require.resolve('@tensorflow/tfjs-tflite/package.json')), 'wasm', `${name}.js`);
    const [glue, wasmBinary] = await Promise.all([readFile(path, 'utf8'), readFile(path.replace(/\.js$/, '.wasm'))]);
    // A CommonJS module, whatever its package's `type`. Nothing is put on the global object.
    const module = { exports: {} };
    const parameters = ['module', 'exports', 'require', '__filename', '__dirname'];
    compileFunction(glue, parameters, { filename: path })(module, module.exports, require, path, dirname(path));
    return { factory: module.exports as EmscriptenFactory, wasmBinary };
  } catch (cause) {
    const message = 'the core does not run this network, and @tensorflow/tfjs-tflite, which may, is not installed';
    throw runtimeFailed(message, cause);
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
