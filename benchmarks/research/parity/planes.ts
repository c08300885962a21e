/** A picture or feature map in PyTorch's order (CHW). */
export interface Planes {
  readonly channels: number;
  readonly size: number;
  readonly values: Float64Array;
}

/** A tensor of the state. */
export interface Weights {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/**
 * PyTorch's `Conv2d` without bias; weights are `[out, in, kernel, kernel]`, depthwise `[channel, 1, kernel, kernel]`.
 *
 * @param padding rows and columns of zeros before the first and after the last, where they differ in that order
 */
export function convolve(
  x: Planes,
  { shape, values }: Weights,
  stride: number,
  padding: number | readonly [before: number, after: number],
): Planes {
  const [before, after] = typeof padding === 'number' ? [padding, padding] : padding;
  const [outputs = 0, perGroup = 0, kernel = 0] = shape;
  const size = Math.floor((x.size + before + after - kernel) / stride) + 1;
  const y = new Float64Array(outputs * size * size);
  if (kernel === 1 && stride === 1 && before === 0 && after === 0) return pointwise(x, values, outputs, y);
  const depthwise = perGroup === 1 && x.channels > 1;
  for (let o = 0; o < outputs; o++) {
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        let total = 0;
        for (let i = 0; i < perGroup; i++) {
          const plane = (depthwise ? o : i) * x.size * x.size;
          for (let ky = 0; ky < kernel; ky++) {
            const sy = row * stride + ky - before;
            if (sy < 0 || sy >= x.size) continue;
            for (let kx = 0; kx < kernel; kx++) {
              const sx = column * stride + kx - before;
              if (sx < 0 || sx >= x.size) continue;
              total +=
                at(values, ((o * perGroup + i) * kernel + ky) * kernel + kx) * at(x.values, plane + sy * x.size + sx);
            }
          }
        }
        y[(o * size + row) * size + column] = total;
      }
    }
  }
  return { channels: outputs, size, values: y };
}

/** The same for windows of one pixel, in a much faster order. */
function pointwise(
  { channels, size, values: inputs }: Planes,
  weights: Float64Array,
  outputs: number,
  y: Float64Array,
): Planes {
  const area = size * size;
  for (let o = 0; o < outputs; o++) {
    const to = y.subarray(o * area, (o + 1) * area);
    for (let i = 0; i < channels; i++) {
      const weight = at(weights, o * channels + i);
      const from = inputs.subarray(i * area, (i + 1) * area);
      for (let p = 0; p < area; p++) to[p] = (to[p] ?? 0) + weight * (from[p] ?? Number.NaN);
    }
  }
  return { channels: outputs, size, values: y };
}

/** A function of each value and its channel. */
export const mapped = (x: Planes, f: (value: number, channel: number) => number): Planes => ({
  ...x,
  values: x.values.map((value, i) => f(value, Math.floor(i / (x.size * x.size)))),
});

/** The mean of each channel. */
export function pooled({ channels, size, values }: Planes): Planes {
  const area = size * size;
  const means = Float64Array.from(
    { length: channels },
    (_, c) => sum(values.subarray(c * area, (c + 1) * area)) / area,
  );
  return { channels, size: 1, values: means };
}

/** BGR planes of a square picture. @param rgb row-major */
export function planesOf(rgb: Float32Array, size: number): Planes {
  const values = new Float64Array(3 * size * size);
  rgb.forEach((value, i) => {
    values[(2 - (i % 3)) * size * size + Math.floor(i / 3)] = value;
  });
  return { channels: 3, size, values };
}

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** @throws RangeError if out of range */
export function at(values: Float64Array, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError('outside');
  return value;
}
