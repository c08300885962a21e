// The layers between convolutions. Maps are f32, rows of pixels, channels innermost and a multiple of 4.

import { exponential } from './exponential';
import { activate } from './multiply';

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
  const line = <usize>xWidth * pixel;
  const isFour = height == 2 && width == 2;
  for (let row = 0; row < yHeight; row++) {
    for (let column = 0; column < yWidth; column++) {
      const from = x + <usize>(row * stride * xWidth + column * stride) * pixel;
      for (let c: usize = 0; c < pixel; c += 16) {
        let best = v128.load(from + c);
        if (isFour) {
          const below = from + c + line;
          const right = v128.load(from + c + pixel);
          best = f32x4.pmax(f32x4.pmax(best, right), f32x4.pmax(v128.load(below), v128.load(below + pixel)));
          v128.store(y + c, best);
          continue;
        }
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

/** Mean of each window. Rows are summed first, which keeps large windows exact; `channels` is a multiple of 4. */
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
          let line = f32x4.splat(0);
          for (let j = 0; j < width; j++) line = f32x4.add(line, v128.load(from + c + <usize>(i * xWidth + j) * pixel));
          sum = f32x4.add(sum, line);
        }
        v128.store(y + c, f32x4.mul(sum, share));
      }
      y += pixel;
    }
  }
}

/**
 * Copies a map into a larger one, with zeros below, to the right and in the added channels; channel counts are
 * multiples of 4.
 */
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

/** y = a + b, negative sums times `slopes` (one per channel). */
export function addMaps(a: usize, b: usize, slopes: usize, y: usize, pixels: i32, channels: i32): void {
  const pixel = <usize>channels << 2;
  for (let i = 0; i < pixels; i++) {
    for (let c: usize = 0; c < pixel; c += 16) {
      const sum = f32x4.add(v128.load(a + c), v128.load(b + c));
      v128.store(y + c, activate(sum, v128.load(slopes + c)));
    }
    a += pixel;
    b += pixel;
    y += pixel;
  }
}

/** y = x · gates + residual: one gate per channel; `residual` is a map like `x`, or 0 for none. */
export function scaleMap(x: usize, gates: usize, residual: usize, y: usize, pixels: i32, channels: i32): void {
  const pixel = <usize>channels << 2;
  for (let i = 0; i < pixels; i++) {
    for (let c: usize = 0; c < pixel; c += 16) {
      const product = f32x4.mul(v128.load(x + c), v128.load(gates + c));
      v128.store(y + c, residual == 0 ? product : f32x4.add(product, v128.load(residual + c)));
    }
    x += pixel;
    y += pixel;
    if (residual != 0) residual += pixel;
  }
}

/** y = x · scales + offsets, negative sums times `slopes`; three constants per channel. */
export function scaleChannels(
  x: usize,
  scales: usize,
  offsets: usize,
  slopes: usize,
  y: usize,
  pixels: i32,
  channels: i32,
): void {
  const pixel = <usize>channels << 2;
  for (let i = 0; i < pixels; i++) {
    for (let c: usize = 0; c < pixel; c += 16) {
      const sum = f32x4.add(f32x4.mul(v128.load(x + c), v128.load(scales + c)), v128.load(offsets + c));
      v128.store(y + c, activate(sum, v128.load(slopes + c)));
    }
    x += pixel;
    y += pixel;
  }
}

/** The pixel beside i / 2 that pixel i of a row of twice `length` lies nearer to; at the ends, the last one. */
// @ts-ignore: decorator
@inline
export function besideHalf(i: i32, length: i32): i32 {
  return min(length - 1, max(0, ((i + 1) >> 1) - 1 + (i & 1)));
}

/** Doubles height and width: bilinear, with edges repeated; `channels` is a multiple of 4. */
export function upsample(x: usize, height: i32, width: i32, channels: i32, y: usize): void {
  const pixel = <usize>channels << 2;
  const line = <usize>width * pixel;
  for (let row = 0; row < 2 * height; row++) {
    const near = x + <usize>(row >> 1) * line;
    const far = x + <usize>besideHalf(row, height) * line;
    for (let column = 0; column < 2 * width; column++) {
      const a = <usize>(column >> 1) * pixel;
      const b = <usize>besideHalf(column, width) * pixel;
      for (let c: usize = 0; c < pixel; c += 16) {
        const sides = f32x4.add(v128.load(near + b + c), v128.load(far + a + c));
        const corners = f32x4.add(f32x4.mul(v128.load(near + a + c), f32x4.splat(9)), v128.load(far + b + c));
        const sum = f32x4.add(corners, f32x4.mul(sides, f32x4.splat(3)));
        v128.store(y + c, f32x4.mul(sum, f32x4.splat(0.0625)));
      }
      y += pixel;
    }
  }
}

/** 1 / (1 + exp(−x)) */
// @ts-ignore: decorator
@inline
export function logisticOf(x: f32): f32 {
  return <f32>(1 / (1 + exponential(-(<f64>x))));
}

/** y = 1 / (1 + exp(−x)). */
export function logistic(x: usize, y: usize, length: i32): void {
  for (let i: usize = 0; i < <usize>length << 2; i += 4) store<f32>(y + i, logisticOf(load<f32>(x + i)));
}

/** y = exp(x) / sum of all exp(x), for the first `length` of the channels; the others are 0. */
export function softmax(x: usize, y: usize, length: i32, channels: i32): void {
  const bytes = <usize>length << 2;
  let most = load<f32>(x);
  for (let i: usize = 4; i < bytes; i += 4) most = max(most, load<f32>(x + i));
  let sum: f64 = 0;
  for (let i: usize = 0; i < bytes; i += 4) sum += exponential(<f64>load<f32>(x + i) - most);
  for (let i: usize = 0; i < bytes; i += 4) store<f32>(y + i, <f32>(exponential(<f64>load<f32>(x + i) - most) / sum));
  memory.fill(y + bytes, 0, (<usize>channels << 2) - bytes);
}
