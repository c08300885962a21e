import { runtimeFailed, type TensorInfo, type TfliteModel, type TfliteRuntime } from './port.ts';

/** A model as an adapter loads it: a {@link TfliteModel} that need not check its calls. */
export interface LoadedModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** Undefined for a tensor that is not there. */
  input(i: number): Float32Array | undefined;
  output(i: number): Float32Array | undefined;
  run(): void | Promise<void>;
  /** Called once. */
  dispose(): void;
}

/** What differs between runtimes. */
export interface RuntimeAdapter {
  readonly name: string;
  load(model: Uint8Array): Promise<LoadedModel>;
  /** Called once, after every model's. */
  dispose(): void;
}

/** The runtime of an adapter: answers `runtime-failed` for what was disposed, and disposes everything once. */
export function createRuntime(adapter: RuntimeAdapter): TfliteRuntime {
  const models = new Set<TfliteModel>();
  // Released with the runtime, and the memory of its instance with it.
  let open: RuntimeAdapter | null = adapter;
  return {
    name: adapter.name,
    async load(bytes) {
      if (open === null) throw runtimeFailed('the runtime was disposed');
      const model = checked(await open.load(bytes), () => models.delete(model));
      models.add(model);
      return model;
    },
    dispose() {
      for (const model of models) model.dispose();
      open?.dispose();
      open = null;
    },
  };
}

function checked(model: LoadedModel, onDispose: () => void): TfliteModel {
  let open: LoadedModel | null = model;
  const tensor = (view: Float32Array | undefined): Float32Array => {
    if (view === undefined) throw runtimeFailed('no such tensor');
    return view;
  };
  return {
    inputs: model.inputs,
    outputs: model.outputs,
    input: (i) => tensor(open?.input(i)),
    output: (i) => tensor(open?.output(i)),
    async run() {
      if (open === null) throw runtimeFailed('the model was disposed');
      try {
        await open.run();
      } catch (cause) {
        throw runtimeFailed('inference failed', cause);
      }
    },
    dispose() {
      if (open === null) return;
      open.dispose();
      open = null;
      onDispose();
    },
  };
}

/** The part of an emscripten module that both npm packages use. */
export interface EmscriptenHeap {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

/** An emscripten module factory (`MODULARIZE`), as in both npm packages. */
export type EmscriptenFactory = (options: Record<string, unknown>) => Promise<unknown>;

/** Inputs of an adapter: the glue code's factory and the matching WebAssembly binary. */
export interface RuntimeAssets {
  readonly factory: EmscriptenFactory;
  readonly wasmBinary: Uint8Array;
}

/** @throws FaceError `runtime-failed` if `start` or the module fails */
export async function startModule<T>(
  { factory, wasmBinary }: RuntimeAssets,
  start: (module: T) => RuntimeAdapter,
): Promise<TfliteRuntime> {
  const ignore = (): void => {};
  try {
    return createRuntime(start((await factory({ wasmBinary, print: ignore, printErr: ignore })) as T));
  } catch (cause) {
    throw runtimeFailed('the runtime did not start', cause);
  }
}

/** Copies a model's bytes into a module's memory, where they stay as long as the model; frees them if it fails. */
export async function loadFromHeap(
  module: EmscriptenHeap,
  bytes: Uint8Array,
  load: (pointer: number) => LoadedModel | Promise<LoadedModel>,
): Promise<LoadedModel> {
  const pointer = module._malloc(bytes.length);
  if (pointer === 0) throw runtimeFailed('no memory for the model');
  try {
    module.HEAPU8.set(bytes, pointer);
    const model = await load(pointer);
    return {
      ...model,
      dispose() {
        model.dispose();
        module._free(pointer);
      },
    };
  } catch (cause) {
    module._free(pointer);
    throw runtimeFailed('the model could not be loaded', cause);
  }
}
