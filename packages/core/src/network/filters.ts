import type { CoreKind } from '../load-core.ts';

/** Outputs that a kernel computes together. */
export const panelWidth = 8;

/** `[outputs][inner]` as `[outputs / 8][inner][8]`, the order in which the kernel reads them. */
export function packFilters(filters: Float32Array, outputs: number): Float32Array {
  const inner = filters.length / outputs;
  const packed = new Float32Array(filters.length);
  for (let output = 0; output < outputs; output++) {
    const column = output % panelWidth;
    const to = (output - column) * inner + column;
    for (let k = 0; k < inner; k++) packed[to + k * panelWidth] = filters[output * inner + k] ?? 0;
  }
  return packed;
}

/** `[taps][channels]` as `[channels / n][taps][n]`, with as many channels as the kernels of a build take together. */
export function packByChannels(kind: CoreKind, filters: Float32Array, channels: number): Float32Array {
  const together = kind === 'simd' ? 4 : 1;
  const taps = filters.length / channels;
  return filters.map((_, at) => {
    const channel = Math.floor(at / taps / together) * together + (at % together);
    return filters[(Math.floor(at / together) % taps) * channels + channel] ?? 0;
  });
}
