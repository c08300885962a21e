import type { FaceCore } from '@svc/core';
import { createNetwork, type Network } from '@svc/core/network';
import { readGraph, type TfliteGraph } from '@svc/face-models';
import { runtimeFailed } from './failure.ts';
import { planNetwork } from './network-plan.ts';
import type { TensorInfo, TfliteModel } from './port.ts';

/**
 * A model on the core's own kernels, or null where they do not compute all of it. Its input and output lie outside of the core, whose
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
  readonly #output: Float32Array;
  readonly #onDispose: () => void;
  #network: Network | null;

  constructor({ tensors, inputs, outputs }: TfliteGraph, network: Network, onDispose: () => void) {
    const shapesOf = (indices: readonly number[]) => indices.map((i) => ({ shape: tensors[i]?.shape ?? [] }));
    this.inputs = shapesOf(inputs);
    this.outputs = shapesOf(outputs);
    this.#input = new Float32Array(network.inputLength);
    this.#output = new Float32Array(network.outputLength);
    this.#network = network;
    this.#onDispose = onDispose;
  }

  input(i: number): Float32Array {
    return this.#only(this.#input, i);
  }

  output(i: number): Float32Array {
    return this.#only(this.#output, i);
  }

  async run(): Promise<void> {
    if (this.#network === null) throw runtimeFailed('the model was disposed');
    this.#network.run(this.#input, this.#output);
  }

  dispose(): void {
    if (this.#network === null) return;
    this.#network.dispose();
    this.#network = null;
    this.#input.fill(0);
    this.#output.fill(0);
    this.#onDispose();
  }

  #only(tensor: Float32Array, i: number): Float32Array {
    if (i !== 0 || this.#network === null) throw runtimeFailed('no such tensor');
    return tensor;
  }
}
