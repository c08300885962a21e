// Convolution without padding, any window and stride, and the layers between convolutions. Maps are f32, rows of pixels,
// channels innermost; `floor` is 0 for a rectifier and −∞ for none.

import { multiply4x8 } from './multiply';

/**
 * Window `height` × `width` at every `stride` pixels of `x`, whose rows have `xWidth` pixels of `channels`, to `y` of
 * yHeight × yWidth × yChannels, a multiple of 8. `filters` has for each eight outputs in turn the window's floats, eight
 * weights each; `bias` one float an output.
 */
export function convolve(
  x: usize,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  filters: usize,
  bias: usize,
  floor: f32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  yChannels: i32,
): void {
  const pitch = <usize>(xWidth * channels) << 2;
  const runBytes = <usize>(width * channels) << 2;
  const step = <usize>(stride * channels) << 2;
  const yPixel = <usize>yChannels << 2;
  const least = f32x4.splat(floor);
  const last = yWidth - 1;
  for (let o: usize = 0; o < yPixel; o += 32) {
    const low = v128.load(bias + o, 0);
    const high = v128.load(bias + o, 16);
    for (let row = 0; row < yHeight; row++) {
      const from = x + <usize>(row * stride) * pitch;
      const to = y + o + <usize>(row * yWidth) * yPixel;
      for (let i = 0; i < yWidth; i += 4) {
        // Past the row's end its last pixel is computed again.
        const i1 = <usize>min(i + 1, last);
        const i2 = <usize>min(i + 2, last);
        const i3 = <usize>min(i + 3, last);
        multiply4x8(
          from + <usize>i * step,
          from + i1 * step,
          from + i2 * step,
          from + i3 * step,
          height,
          pitch,
          runBytes,
          filters,
          to + <usize>i * yPixel,
          to + i1 * yPixel,
          to + i2 * yPixel,
          to + i3 * yPixel,
          low,
          high,
          least,
        );
      }
    }
    filters += <usize>height * (runBytes << 3);
  }
}

/** Largest value in each window; `channels` is a multiple of 4. */
export function maxPool(
  x: usize,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
): void {
  const pixel = <usize>channels << 2;
  for (let row = 0; row < yHeight; row++) {
    for (let column = 0; column < yWidth; column++) {
      const from = x + <usize>(row * stride * xWidth + column * stride) * pixel;
      for (let c: usize = 0; c < pixel; c += 16) {
        let best = v128.load(from + c);
        for (let i = 0; i < height; i++) {
          for (let j = 0; j < width; j++) {
            best = f32x4.pmax(best, v128.load(from + c + <usize>(i * xWidth + j) * pixel));
          }
        }
        v128.store(y + c, best);
      }
      y += pixel;
    }
  }
}

/** Mean of each window; `channels` is a multiple of 4. */
export function averagePool(
  x: usize,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
): void {
  const pixel = <usize>channels << 2;
  const share = f32x4.splat(<f32>1 / <f32>(height * width));
  for (let row = 0; row < yHeight; row++) {
    for (let column = 0; column < yWidth; column++) {
      const from = x + <usize>(row * stride * xWidth + column * stride) * pixel;
      for (let c: usize = 0; c < pixel; c += 16) {
        let sum = f32x4.splat(0);
        for (let i = 0; i < height; i++) {
          for (let j = 0; j < width; j++) sum = f32x4.add(sum, v128.load(from + c + <usize>(i * xWidth + j) * pixel));
        }
        v128.store(y + c, f32x4.mul(sum, share));
      }
      y += pixel;
    }
  }
}

/** Copies a map into a larger one, with zeros below, to the right and in the further channels; both counts of channels are multiples of 4. */
export function padAfter(
  x: usize,
  height: i32,
  width: i32,
  channels: i32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  yChannels: i32,
): void {
  const pixel = <usize>channels << 2;
  const yPixel = <usize>yChannels << 2;
  for (let row = 0; row < yHeight; row++) {
    for (let column = 0; column < yWidth; column++) {
      const inside = row < height && column < width ? pixel : 0;
      for (let c: usize = 0; c < inside; c += 16) v128.store(y + c, v128.load(x + c));
      for (let c = inside; c < yPixel; c += 16) v128.store(y + c, f32x4.splat(0));
      x += inside;
      y += yPixel;
    }
  }
}

/** y = max(a + b, floor); `length` is a multiple of 4. */
export function addMaps(a: usize, b: usize, y: usize, length: i32, floor: f32): void {
  const least = f32x4.splat(floor);
  const bytes = <usize>length << 2;
  for (let i: usize = 0; i < bytes; i += 16) {
    v128.store(y + i, f32x4.pmax(f32x4.add(v128.load(a + i), v128.load(b + i)), least));
  }
}
