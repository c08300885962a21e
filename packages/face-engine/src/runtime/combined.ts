import type { FaceCore } from '@svc/core';
import { createNetwork, type Network } from '@svc/core/network';
import { readGraph, type TfliteGraph } from '@svc/face-models';
import { planNetwork } from './network-plan.ts';
import { runtimeFailed, type TensorInfo, type TfliteModel, type TfliteRuntime } from './port.ts';

/**
 * Loads a model on the core's kernels; null if they do not support all of it. Inputs and outputs lie in JavaScript
 * memory, since views of wasm memory are detached whenever it grows.
 * @throws FaceError `runtime-failed` without memory for the weights
 */
function loadCoreNetwork(core: FaceCore, bytes: Uint8Array, onDispose = ignore): TfliteModel | null {
  const graph = readGraph(bytes);
  const plan = graph === null ? null : planNetwork(graph);
  const network = plan === null ? null : createNetwork(core, plan);
  return graph === null || network === null ? null : new CoreNetworkModel(graph, network, onDispose);
}

const ignore = (): void => {};

class CoreNetworkModel implements TfliteModel {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #input: Float32Array;
  readonly #outputs: readonly Float32Array[];
  readonly #onDispose: () => void;
  #network: Network | null;

  constructor({ tensors, inputs, outputs }: TfliteGraph, network: Network, onDispose: () => void) {
    const shapesOf = (indices: readonly number[]) => indices.map((i) => ({ shape: tensors[i]?.shape ?? [] }));
    this.inputs = shapesOf(inputs);
    this.outputs = shapesOf(outputs);
    this.#input = new Float32Array(network.inputLength);
    this.#outputs = network.outputLengths.map((length) => new Float32Array(length));
    this.#network = network;
    this.#onDispose = onDispose;
  }

  input(i: number): Float32Array {
    return this.#tensor(i === 0 ? this.#input : undefined);
  }

  output(i: number): Float32Array {
    return this.#tensor(this.#outputs[i]);
  }

  async run(): Promise<void> {
    if (this.#network === null) throw runtimeFailed('the model was disposed');
    this.#network.run(this.#input, this.#outputs);
  }

  dispose(): void {
    if (this.#network === null) return;
    this.#network.dispose();
    this.#network = null;
    this.#input.fill(0);
    for (const output of this.#outputs) output.fill(0);
    this.#onDispose();
  }

  #tensor(tensor: Float32Array | undefined): Float32Array {
    if (tensor === undefined || this.#network === null) throw runtimeFailed('no such tensor');
    return tensor;
  }
}

/** Options of {@link createCombinedRuntime}. */
export interface CombinedRuntimeOptions {
  readonly core: FaceCore;
  /** For models that the core's kernels do not support; disposed with the combined runtime. */
  readonly fallback: TfliteRuntime;
}

/**
 * Combines the core's kernels, for models that they support entirely, with another runtime for all others. Its name is
 * `core+` and the other's.
 */
export function createCombinedRuntime({ core, fallback }: CombinedRuntimeOptions): TfliteRuntime {
  const models = new Set<TfliteModel>();
  let disposed = false;
  return {
    name: `core+${fallback.name}`,
    async load(bytes) {
      if (disposed) throw runtimeFailed('the runtime was disposed');
      const model = loadCoreNetwork(core, bytes, () => model !== null && models.delete(model));
      if (model === null) return fallback.load(bytes);
      models.add(model);
      return model;
    },
    dispose() {
      disposed = true;
      for (const model of models) model.dispose();
      fallback.dispose();
    },
  };
}
