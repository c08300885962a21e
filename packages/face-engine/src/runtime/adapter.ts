import { type NetworkModel, type NetworkRuntime, runtimeFailed, type TensorInfo } from './port.ts';

/** A model as an adapter loads it: a {@link NetworkModel} that need not check its calls. */
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
export function createRuntime(adapter: RuntimeAdapter): NetworkRuntime {
  const models = new Set<NetworkModel>();
  // Released with the runtime, and the memory of its instance with it.
  let open: RuntimeAdapter | null = adapter;
  return {
    name: adapter.name,
    async load(bytes) {
      const disposed = () => runtimeFailed('the runtime was disposed');
      if (open === null) throw disposed();
      const model = checked(await open.load(bytes), () => models.delete(model));
      models.add(model);
      if (open !== null) return model;
      model.dispose();
      throw disposed();
    },
    dispose() {
      for (const model of models) model.dispose();
      open?.dispose();
      open = null;
    },
  };
}

function checked(model: LoadedModel, onDispose: () => void): NetworkModel {
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
