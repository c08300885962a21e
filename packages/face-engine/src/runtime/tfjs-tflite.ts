import { type EmscriptenHeap, type LoadedModel, loadFromHeap, type RuntimeAssets, startModule } from './adapter.ts';
import { runtimeFailed, type TensorInfo, type TfliteRuntime } from './port.ts';

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
export function createTfjsTfliteRuntime(assets: RuntimeAssets): Promise<TfliteRuntime> {
  return startModule(assets, (module: TfliteWebModule) => ({
    name: 'tfjs-tflite',
    load: (bytes) =>
      loadFromHeap(module, bytes, (pointer) => {
        const status = module.TFLiteWebModelRunner.CreateFromBufferAndOptions(pointer, bytes.length, {
          numThreads: 1,
          enableProfiling: false,
          maxProfilingBufferEntries: 1,
        });
        if (!status.ok()) throw runtimeFailed('the runtime refused the model');
        return modelOf(module, status.value());
      }),
    dispose: () => void module.HEAPU8.fill(0),
  }));
}

function modelOf(module: EmscriptenHeap, runner: WebModelRunner): LoadedModel {
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
