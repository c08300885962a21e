import type { FaceCore } from '@svc/core';
import { createNetwork } from '@svc/core/network';
import { readGraph } from '@svc/face-models';
import { createRuntime, type LoadedModel } from './adapter.ts';
import { planNetwork } from './network-plan.ts';
import type { TfliteRuntime } from './port.ts';

/**
 * Loads a model on the core's kernels; null if they do not support all of it. Inputs and outputs lie in JavaScript
 * memory, since views of wasm memory are detached whenever it grows.
 * @throws FaceError `runtime-failed` without memory for the weights
 */
function loadCoreNetwork(core: FaceCore, bytes: Uint8Array): LoadedModel | null {
  const graph = readGraph(bytes);
  const plan = graph === null ? null : planNetwork(graph);
  const network = plan === null ? null : createNetwork(core, plan);
  if (graph === null || network === null) return null;
  const shapesOf = (indices: readonly number[]) => indices.map((i) => ({ shape: graph.tensors[i]?.shape ?? [] }));
  const input = new Float32Array(network.inputLength);
  const outputs = network.outputLengths.map((length) => new Float32Array(length));
  return {
    inputs: shapesOf(graph.inputs),
    outputs: shapesOf(graph.outputs),
    input: (i) => (i === 0 ? input : undefined),
    output: (i) => outputs[i],
    run: () => network.run(input, outputs),
    dispose() {
      network.dispose();
      for (const tensor of [input, ...outputs]) tensor.fill(0);
    },
  };
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
  return createRuntime({
    name: `core+${fallback.name}`,
    load: async (bytes) => loadCoreNetwork(core, bytes) ?? (await fallback.load(bytes)),
    dispose: () => fallback.dispose(),
  });
}
