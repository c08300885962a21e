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

/** Effect of 3×3 filters on a one-pixel map: `[outputs][3][3][channels]` as `[outputs][channels]`. */
export function centresOf(filters: Float32Array, channels: number): Float32Array {
  const centres = new Float32Array(filters.length / 9);
  for (let at = 0; at < centres.length; at += channels) {
    const from = at * 9 + 4 * channels;
    centres.set(filters.subarray(from, from + channels), at);
  }
  return centres;
}

/**
 * Filters of 3×3 for Winograd's F(2×2, 3×3): G·g·Gᵀ of each, computed in double precision; `[outputs][3][3][channels]`
 * as `[16][outputs / 8][channels][8]`.
 */
export function transformFilters(filters: Float32Array, outputs: number): Float32Array {
  const channels = filters.length / (9 * outputs);
  const plane = channels * outputs;
  const packed = new Float32Array(16 * plane);
  const columns = new Float64Array(12);
  for (let output = 0; output < outputs; output++) {
    const panel = Math.floor(output / panelWidth) * panelWidth * channels + (output % panelWidth);
    for (let channel = 0; channel < channels; channel++) {
      const from = output * 9 * channels + channel;
      for (let row = 0; row < 3; row++) {
        const at = from + row * 3 * channels;
        expand(columns, row * 4, 1, filters[at] ?? 0, filters[at + channels] ?? 0, filters[at + 2 * channels] ?? 0);
      }
      const to = panel + channel * panelWidth;
      for (let column = 0; column < 4; column++) {
        const [top = 0, middle = 0, bottom = 0] = [columns[column], columns[4 + column], columns[8 + column]];
        expand(packed, to + column * plane, 4 * plane, top, middle, bottom);
      }
    }
  }
  return packed;
}

/** G times a column: four numbers from three, written `step` apart. */
function expand(to: Float32Array | Float64Array, at: number, step: number, a: number, b: number, c: number): void {
  to[at] = a;
  to[at + step] = (a + b + c) / 2;
  to[at + 2 * step] = (a - b + c) / 2;
  to[at + 3 * step] = c;
}
