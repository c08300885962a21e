import { Heap } from './heap.ts';
import type { WasmMemory } from './wasm-host.ts';

type GcmArguments = [
  key: number,
  nonce: number,
  aad: number,
  aadLength: number,
  data: number,
  length: number,
  tag: number,
];

type WindowArguments = [
  ...input: [address: number, width: number, channels: number],
  ...window: [height: number, width: number, stride: number],
];
type Size = [height: number, width: number];
type BorderedWindow = [
  ...input: [address: number, ...Size, channels: number],
  ...window: [height: number, width: number, stride: number, top: number, left: number],
];
type Pixels = [address: number, pixels: number, channels: number];

type Map = [address: number, ...Size, channels: number];

/** Kernels of integer networks: maps of i16, `low` and `most` bound what they write. */
interface IntegerKernels {
  quantise(
    ...args: [x: number, pixels: number, scales: number, offsets: number, most: number, y: number, yChannels: number]
  ): void;
  convolveIntegers(
    ...args: [
      ...BorderedWindow,
      ...weights: [filters: number, bias: number, multipliers: number, slopes: number],
      ...added: [residual: number, multiplier: number],
      ...bounds: [low: number, most: number],
      ...output: [...Map, isFloat: number],
      scratch: number,
    ]
  ): void;
  /** The largest of a window where the multiplier is 0. */
  poolIntegers(...args: [...WindowArguments, multiplier: number, most: number, address: number, ...Size]): void;
  /** Adds two maps where all gates are 1. */
  scaleIntegers(
    ...args: [
      ...inputs: [x: number, gates: number, multiplier: number, residual: number, residualMultiplier: number],
      ...output: [slopes: number, low: number, most: number, ...Pixels],
    ]
  ): void;
  upsampleIntegers(...args: [...input: Map, multiplier: number, most: number, y: number]): void;
  logisticIntegers(x: number, y: number, length: number, inverseScale: number, most: number): void;
}

/** Exports of the compiled core: numbers in, status out. Addresses are byte offsets into `memory`. */
export interface KernelExports extends IntegerKernels {
  readonly memory: WasmMemory;
  heapBase(): number;
  cosine(a: number, b: number, length: number): number;
  /** 0, or 1 if the norm is 0 or not finite. */
  normalise(a: number, length: number): number;
  gcmSeal(...message: GcmArguments): void;
  /** 0, or 1 if the tag is wrong and nothing was decrypted. */
  gcmOpen(...message: GcmArguments): number;
  expandRgb(rgb: number, rgba: number, pixels: number): void;
  /** Any affine transform: mean of nu × nv bilinear samples per pixel. */
  warpGrid(
    ...args: [
      ...source: [address: number, width: number, height: number],
      ...transform: [a: number, b: number, c: number, d: number, e: number, f: number],
      ...samples: [nu: number, nv: number],
      ...target: [address: number, width: number, height: number],
      ...output: [flags: number, scale: number, offset: number],
    ]
  ): void;
  /** Axis-aligned transform: exact mean over each footprint. */
  warpBox(
    ...args: [
      ...source: [address: number, width: number, height: number],
      ...transform: [a: number, c: number, e: number, f: number],
      scratch: number,
      ...target: [address: number, width: number, height: number],
      ...output: [flags: number, scale: number, offset: number],
    ]
  ): void;
  convolve(
    ...args: [
      ...BorderedWindow,
      ...weights: [filters: number, bias: number, slopes: number, residual: number],
      ...output: [address: number, ...Size, channels: number],
      ...work: [scratch: number, rows: number],
    ]
  ): void;
  /** Floats where `multipliers` is 0. */
  convolveDepthwise(
    ...args: [
      ...BorderedWindow,
      ...weights: [filters: number, bias: number, multipliers: number, slopes: number],
      ...bounds: [low: number, most: number],
      ...output: [address: number, ...Size],
      scratch: number,
    ]
  ): void;
  maxPool(...args: [...WindowArguments, address: number, ...Size]): void;
  averagePool(...args: [...WindowArguments, address: number, ...Size]): void;
  padAfter(
    ...args: [
      ...input: [address: number, ...Size, channels: number],
      ...output: [address: number, ...Size, channels: number],
    ]
  ): void;
  addMaps(a: number, b: number, slopes: number, ...output: Pixels): void;
  scaleMap(x: number, gates: number, residual: number, ...output: Pixels): void;
  scaleChannels(x: number, scales: number, offsets: number, slopes: number, ...output: Pixels): void;
  upsample(...args: [...input: Map, out: number]): void;
  logistic(x: number, out: number, length: number): void;
  softmax(x: number, out: number, length: number, channels: number): void;
}

/** The compiled core and the heap in its memory. One per FaceCore. */
export interface Kernel {
  readonly exports: KernelExports;
  readonly heap: Heap;
}

export function createKernel(exports: KernelExports): Kernel {
  return { exports, heap: new Heap(exports.memory, exports.heapBase()) };
}

// Registered globally, so that separately bundled entry points find the kernel of a FaceCore.
const kernelOfCore = Symbol.for('svc.core.kernel');

/** Attaches a kernel to its public object. */
export function attachKernel<T extends object>(core: T, kernel: Kernel): T {
  Object.defineProperty(core, kernelOfCore, { value: kernel });
  return core;
}

/** The kernel of a FaceCore; undefined for any other object. */
export function kernelOf(core: object): Kernel | undefined {
  return (core as { [kernelOfCore]?: Kernel })[kernelOfCore];
}
