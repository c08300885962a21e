import type { FaceCore } from '@svc/core';
import { createIntegerNetwork, createNetwork, decodeNetwork, type Network } from '@svc/core/network';
import { planNetwork, readGraph, type TfliteGraph } from '@svc/face-models';
import { createRuntime, type LoadedModel } from './adapter.ts';
import { type NetworkRuntime, runtimeFailed, type TensorInfo } from './port.ts';

/**
 * Loads a network on the core's kernels; null if they do not support all of it. The input lies in the core's memory, so
 * that images are warped into it.
 * @throws FaceError `runtime-failed` without memory for the weights, `model-mismatch` if a network of integers is damaged
 */
function loadCoreNetwork(core: FaceCore, bytes: Uint8Array): LoadedModel | null {
  return isNamed(bytes, 0, 'SVCN') ? loadIntegers(core, bytes) : loadFloats(core, bytes);
}

function loadIntegers(core: FaceCore, bytes: Uint8Array): LoadedModel | null {
  const plan = decodeNetwork(bytes);
  const network = createIntegerNetwork(core, plan);
  if (network === null) return null;
  const { height = 0, width = 0, channels = 0 } = plan.maps[plan.input] ?? {};
  const results = plan.results.map((shape) => ({ shape }));
  return modelOf(network, [{ shape: [1, height, width, channels] }], results);
}

function loadFloats(core: FaceCore, bytes: Uint8Array): LoadedModel | null {
  const graph = readGraph(bytes);
  const plan = graph === null ? null : planNetwork(graph);
  const network = plan === null ? null : createNetwork(core, plan);
  if (graph === null || network === null) return null;
  return modelOf(network, shapesOf(graph, graph.inputs), shapesOf(graph, graph.outputs));
}

const shapesOf = ({ tensors }: TfliteGraph, indices: readonly number[]): readonly TensorInfo[] =>
  indices.map((i) => ({ shape: tensors[i]?.shape ?? [] }));

/** Apart from the graph: what a closure beside it captures would keep all weights outside wasm memory too. */
function modelOf(network: Network, inputs: readonly TensorInfo[], outputs: readonly TensorInfo[]): LoadedModel {
  const { outputLengths } = network;
  const all = new Float32Array(outputLengths.reduce((sum, length) => sum + length, 0));
  const parts = consecutive(all, outputLengths);
  const results = consecutive(
    all,
    outputs.map(({ shape }) => shape.reduce((product, n) => product * n, 1)),
  );
  return {
    inputs,
    outputs,
    input: (i) => (i === 0 ? network.input() : undefined),
    output: (i) => results[i],
    run: () => network.run(network.input(), parts),
    dispose() {
      network.dispose();
      all.fill(0);
    },
  };
}

const isNamed = (bytes: Uint8Array, at: number, name: string): boolean =>
  String.fromCharCode(...bytes.subarray(at, at + 4)) === name;

/** Views of these lengths, one after the other. */
function consecutive(numbers: Float32Array, lengths: readonly number[]): readonly Float32Array[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return numbers.subarray(at - length, at);
  });
}

/**
 * The runtime of all networks that the core's kernels run.
 * @param createFallback creates a runtime for other `.tflite` networks, at the first of them, disposed with this one;
 *   default: they fail to load
 */
export function createCoreRuntime(core: FaceCore, createFallback?: () => Promise<NetworkRuntime>): NetworkRuntime {
  let fallback: Promise<NetworkRuntime> | undefined;
  return createRuntime({
    name: 'core',
    async load(bytes) {
      const loaded = loadCoreNetwork(core, bytes);
      if (loaded !== null) return loaded;
      if (createFallback === undefined || !isNamed(bytes, 4, 'TFL3'))
        throw runtimeFailed('the core does not run this network');
      fallback ??= createFallback();
      return (await fallback).load(bytes);
    },
    dispose: () => void fallback?.then((created) => created.dispose()).catch(() => undefined),
  });
}
