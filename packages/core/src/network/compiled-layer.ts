import type { KernelExports } from '../kernel.ts';
import type { Activation, Border, MapShape } from './plan.ts';

/** Addresses of a layer's memory during a run. */
export interface Places {
  map(index: number): number;
  /** Address of the layer's weights. */
  readonly weights: number;
  readonly scratch: number;
}

/** How a layer is computed. */
export interface Computation {
  /** In the kernels' order; placed in memory as one block. */
  readonly weights?: readonly Float32Array[];
  /** Floats of work space. */
  readonly scratch?: number;
  /** Must not capture the weights, which are large and already copied to wasm memory. */
  run(kernels: KernelExports, places: Places): void;
}

export interface CompiledLayer extends Required<Computation> {
  readonly reads: readonly number[];
  readonly output: number;
}

/** Numbers in a vector register. */
export const lanes = 4;

/** Floats of a map. */
export const sizeOf = ({ height, width, channels }: MapShape): number => height * width * channels;

export const isSame = (a: MapShape, b: MapShape): boolean =>
  a.height === b.height && a.width === b.width && a.channels === b.channels;

/** Factor of negative values for each channel; null if the number of slopes differs from the channels. */
export function slopesOf(activation: Activation, channels: number): Float32Array | null {
  if (typeof activation === 'string') return new Float32Array(channels).fill(activation === 'relu' ? 0 : 1);
  return activation.length === channels ? activation : null;
}

interface Window {
  readonly size: readonly [height: number, width: number];
  readonly stride: number;
}

/** Whether the output has one pixel for each window that lies in the input and its border. */
export function fitsWindows(
  { size: [height, width], stride }: Window,
  [top, bottom, left, right]: Border,
  x: MapShape,
  y: MapShape,
): boolean {
  const areCounts = [top, bottom, left, right].every((n) => Number.isInteger(n) && n >= 0);
  const arePositive = [height, width, stride].every((n) => Number.isInteger(n) && n > 0);
  const fits = (available: number, length: number, count: number): boolean =>
    length <= available && count === Math.floor((available - length) / stride) + 1;
  const isInside = fits(x.height + top + bottom, height, y.height) && fits(x.width + left + right, width, y.width);
  return areCounts && arePositive && isInside;
}
