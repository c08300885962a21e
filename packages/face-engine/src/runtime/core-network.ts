import type { FaceCore } from '@svc/core';
import { createNetwork, type Network } from '@svc/core/network';
import { readGraph, type TfliteGraph } from '@svc/face-models';
import { runtimeFailed } from './failure.ts';
import { planNetwork } from './network-plan.ts';
import type { TensorInfo, TfliteModel } from './port.ts';

/**
 * A model on the core's own kernels, or null where they do not compute all of it. Its input and outputs lie outside of the core, whose
 * memory holds weights alone between two runs: a view on it would be lost whenever it grows, for an image too.
 *
 * @throws FaceError `runtime-failed` when there is no memory for the weights
 */
export function loadCoreNetwork(core: FaceCore, bytes: Uint8Array, onDispose = ignore): TfliteModel | null {
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
