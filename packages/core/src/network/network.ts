import { FaceError } from '../errors.ts';
import { type Kernel, kernelOf } from '../kernel.ts';
import type { FaceCore } from '../load-core.ts';
import { placeBlocks } from './arena.ts';
import { compileIntegers, isScale } from './compile-integers.ts';
import { compileLayer } from './compile-layer.ts';
import { type CompiledLayer, readsOf, sizeOf } from './compiled-layer.ts';
import type { IntegerLayer, IntegerMap, IntegerPlan } from './integer-plan.ts';
import type { MapShape, NetworkPlan } from './plan.ts';
import { widenChannels } from './widen.ts';

/** A convolutional network with its weights in wasm memory. Owned and disposed by the caller. */
export interface Network {
  /** In floats. */
  readonly inputLength: number;
  /** Length of each output, in floats. */
  readonly outputLengths: readonly number[];
  /**
   * View of the network's own input in wasm memory, wiped by the caller; valid until the next allocation. One float
   * after it is spare, as `warpToFloat` needs.
   */
  input(): Float32Array;
  /**
   * Computes `outs` from `input`, bit-identical on all platforms. Maps and work space in wasm memory are wiped, but not
   * the network's own input if that is `input`.
   * @throws FaceError `invalid-argument` for a wrong length, outs in wasm memory and after `dispose`, `runtime-failed`
   *   (retryable) without memory
   */
  run(input: Float32Array, outs: readonly Float32Array[]): void;
  /** Wipes and frees the weights. Idempotent. */
  dispose(): void;
}

/**
 * Prepares a network for the core's kernels; null if they do not support it. Supported: all convolutions; pooling,
 * padding and per-channel layers if the channel count is a multiple of four; per-channel constants also for three
 * channels.
 * @throws FaceError `runtime-failed` (retryable) without memory for the weights
 */
export function createNetwork(core: FaceCore, plan: NetworkPlan): Network | null {
  const kernel = coreKernel(core);
  const wide = plan.maps.every(isShape) ? widenChannels(plan) : null;
  const layers = wide === null ? null : compileLayers(wide, (layer) => compileLayer(layer, wide.maps, core.kind));
  if (wide === null || layers === null) return null;
  return load(
    kernel,
    wide,
    layers,
    plan.outputs.map((map) => resultOf(map, plan.maps[map]?.channels ?? 0, wide.maps)),
  );
}

/**
 * Prepares an integer network for the core's kernels. Null unless they support its shapes, all its numbers are in range,
 * every sum of products fits 32 bits whatever the input, and its outputs are maps of floats that fill its results: a plan
 * from anywhere does no harm.
 * @throws FaceError `runtime-failed` (retryable) without memory for the weights
 */
export function createIntegerNetwork(core: FaceCore, plan: IntegerPlan): Network | null {
  const kernel = coreKernel(core);
  const { maps, input } = plan;
  if (!maps.every(isShape) || !maps.every(isInRange) || maps[input]?.integers !== null) return null;
  const outputs = plan.outputs.map(({ map }) => map);
  // Quantising makes numbers of all that an input may hold.
  const isQuantised = (layer: IntegerLayer) => (layer.kind === 'quantise') === readsOf(layer).includes(input);
  const layers = compileLayers({ ...plan, outputs }, (layer) =>
    isQuantised(layer) ? compileIntegers(layer, maps, core.kind) : null,
  );
  const results = plan.outputs.map(({ map, channels }) => resultOf(map, channels, maps));
  const given = results.reduce((sum, { pixels, channels }) => sum + pixels * channels, 0);
  const asked = plan.results.map((shape) => shape.reduce((product, n) => product * (isCount(n) ? n : Number.NaN), 1));
  const areOutputs = plan.outputs.every(
    ({ map, channels }) => maps[map]?.integers === null && isCount(channels) && channels <= maps[map].channels,
  );
  if (layers === null || !areOutputs || asked.reduce((sum, n) => sum + n, 0) !== given) return null;
  return load(kernel, { maps, input, outputs }, layers, results);
}

function coreKernel(core: FaceCore): Kernel {
  const kernel = kernelOf(core);
  if (kernel === undefined) throw new FaceError('invalid-argument', 'core must come from loadCore');
  return kernel;
}

/** Far above what networks have, and so low that a plan from anywhere is soon prepared. */
const mostMaps = 1024;

const isCount = (n: number): boolean => Number.isInteger(n) && n > 0;

const isShape = (shape: MapShape): boolean =>
  [shape.height, shape.width, shape.channels].every(isCount) && sizeOf(shape) <= 1 << 24;

const isInRange = ({ integers }: IntegerMap): boolean =>
  integers === null || (isScale(integers.scale) && isCount(integers.most) && integers.most <= 32_767);

/** What computes a plan's maps, of floats or of integers, and gives them out. */
interface Placed {
  readonly maps: readonly (MapShape & Partial<IntegerMap>)[];
  readonly input: number;
  readonly outputs: readonly number[];
}

function compileLayers<T>(
  { maps, input, outputs, layers }: Placed & { readonly layers: readonly T[] },
  compile: (layer: T) => CompiledLayer | null,
): readonly CompiledLayer[] | null {
  if (maps.length > mostMaps || maps[input] === undefined) return null;
  const written = new Set([input]);
  const compiled: CompiledLayer[] = [];
  for (const layer of layers) {
    const next = compile(layer);
    if (next === null || written.has(next.output) || !next.reads.every((map) => written.has(map))) return null;
    written.add(next.output);
    compiled.push(next);
  }
  return outputs.length > 0 && outputs.every((map) => written.has(map)) ? compiled : null;
}

/** Index of the last layer that reads a map; -1 if none does. Browsers before 2022 have no findLastIndex. */
const lastReading = (layers: readonly CompiledLayer[], map: number): number =>
  layers.reduce((last, { reads }, i) => (reads.includes(map) ? i : last), -1);

/** Offsets of maps but the input, and of work space. A map lives from its writing layer to the last that reads it. */
function planArena({ maps, outputs }: Placed, layers: readonly CompiledLayer[]) {
  const lifetimes = maps.map(({ integers = null, ...shape }, map) => {
    const from = layers.findIndex((layer) => layer.output === map);
    const to = outputs.includes(map) ? layers.length : lastReading(layers, map);
    return { bytes: from >= 0 ? sizeOf(shape) * (integers === null ? 4 : 2) : 0, from, to: Math.max(from, to) };
  });
  const scratch = layers.map((layer, i) => ({ bytes: layer.scratch, from: i, to: i }));
  const { offsets, bytes } = placeBlocks([...lifetimes, ...scratch]);
  return { maps: offsets.slice(0, maps.length), scratch: offsets.slice(maps.length), bytes };
}

/** An output in wasm memory: the first channels of each pixel. */
interface Result {
  readonly map: number;
  readonly pixels: number;
  readonly channels: number;
  /** Floats from one pixel to the next. */
  readonly width: number;
}

function resultOf(map: number, channels: number, maps: readonly MapShape[]): Result {
  const shape = maps[map] ?? { height: 0, width: 0, channels: 0 };
  return { map, pixels: shape.height * shape.width, channels, width: shape.channels };
}

/** Copies all weights into one block, each part at a multiple of 16; the input and its spare float follow. */
function place({ heap }: Kernel, layers: readonly CompiledLayer[], inputLength: number) {
  const roundUp = (bytes: number): number => Math.ceil(bytes / 16) * 16;
  const parts = layers.flatMap(({ weights }) => weights);
  const block = heap.allocate(parts.reduce((sum, part) => sum + roundUp(part.byteLength), (inputLength + 1) * 4));
  let at = block;
  const addresses = layers.map(({ weights }) =>
    weights.map(({ buffer, byteOffset, byteLength }) => {
      heap.bytes(at, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
      at += roundUp(byteLength);
      return at - roundUp(byteLength);
    }),
  );
  return { block, addresses, own: at };
}

/** Copies an output without its added channels. */
function copyResult(from: Float32Array, { pixels, channels, width }: Result, out: Float32Array): void {
  if (channels === width) out.set(from);
  for (let p = 0; p < pixels && channels < width; p++) {
    for (let c = 0; c < channels; c++) out[p * channels + c] = from[p * width + c] ?? 0;
  }
}

function load(kernel: Kernel, plan: Placed, layers: readonly CompiledLayer[], results: readonly Result[]): Network {
  const { heap, exports } = kernel;
  const outputLengths = results.map(({ pixels, channels }) => pixels * channels);
  // Destructured, so that the returned object keeps no weights outside wasm memory.
  const { input: first } = plan;
  const inputLength = sizeOf(plan.maps[first] ?? { height: 0, width: 0, channels: 0 });
  const arena = planArena(plan, layers);
  const { block, addresses, own } = place(kernel, layers, inputLength);
  const runs = layers.map(({ run }) => run);
  let disposed = false;
  return {
    inputLength,
    outputLengths,
    input() {
      if (disposed) throw new FaceError('invalid-argument', 'the network was disposed');
      return heap.floats(own, inputLength);
    },
    run(input, outs) {
      if (disposed) throw new FaceError('invalid-argument', 'the network was disposed');
      // Views of wasm memory would be detached where it grows.
      const isOut = (out: Float32Array, i: number) =>
        out.length === outputLengths[i] && heap.addressOf(out) === undefined;
      if (input.length !== inputLength || outs.length !== results.length || !outs.every(isOut)) {
        throw new FaceError('invalid-argument', 'input or outs have the wrong lengths, or outs lie in wasm memory');
      }
      const compute = (base: number): void => {
        const map = (index: number): number => (index === first ? own : base + (arena.maps[index] ?? 0));
        runs.forEach((run, i) => {
          run(exports, { map, weights: addresses[i] ?? [], scratch: base + (arena.scratch[i] ?? 0) });
        });
        outs.forEach((out, i) => {
          const result = results[i];
          if (result) copyResult(heap.floats(map(result.map), result.pixels * result.width), result, out);
        });
      };
      const isCopied = heap.addressOf(input) !== own;
      if (isCopied) heap.floats(own, inputLength).set(input);
      try {
        heap.borrow(arena.bytes, compute);
      } finally {
        if (isCopied) heap.floats(own, inputLength).fill(0);
      }
    },
    dispose() {
      if (disposed) return;
      disposed = true;
      heap.free(block);
    },
  };
}
