// Depthwise convolution. Maps are f32, rows of pixels, channels innermost and a multiple of 4. T is v128, four channels
// at a time, or f32, one channel: without vectors, four channels of four pixels are more than fits the registers.

import { activate } from './multiply';

// @ts-ignore: decorator
@inline
function accumulate<T>(sum: T, a: T, b: T): T {
  if (isVector<T>()) return f32x4.add(sum, f32x4.mul(a, b));
  return sum + a * b;
}

// @ts-ignore: decorator
@inline
function put<T>(y: usize, sum: T, slope: T): void {
  if (isVector<T>()) store<T>(y, activate(sum, slope));
  else store<T>(y, activateScalar(sum, slope));
}

/** `activate` of one float; without a branch, since nobody can predict a sign. */
// @ts-ignore: decorator
@inline
export function activateScalar(value: f32, slope: f32): f32 {
  const bits = reinterpret<i32>(value);
  const positive = reinterpret<f32>(bits & (<i32>(value < 0) - 1));
  return positive + slope * reinterpret<f32>(bits & (<i32>(value > 0) - 1));
}

// @ts-ignore: decorator
@inline
function storeFour<T>(s0: T, s1: T, s2: T, s3: T, slope: T, y: usize, pixel: usize): void {
  put<T>(y, s0, slope);
  put<T>(y + pixel, s1, slope);
  put<T>(y + 2 * pixel, s2, slope);
  put<T>(y + 3 * pixel, s3, slope);
}

/**
 * Four adjacent outputs, whose windows start at `x` and every `step` bytes after; window rows are `pitch` bytes apart.
 */
// @ts-ignore: decorator
@inline
function fourPixels<T>(
  x: usize,
  step: usize,
  pitch: usize,
  pixel: usize,
  height: i32,
  width: usize,
  filters: usize,
  bias: usize,
  slopes: usize,
  y: usize,
): void {
  for (let c: usize = 0; c < pixel; c += sizeof<T>()) {
    let s0 = load<T>(bias + c);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let w = filters + c;
    let row = x + c;
    for (let i = 0; i < height; i++) {
      let from = row;
      const end = row + width;
      do {
        const weights = load<T>(w);
        const x2 = from + 2 * step;
        s0 = accumulate<T>(s0, weights, load<T>(from));
        s1 = accumulate<T>(s1, weights, load<T>(from + step));
        s2 = accumulate<T>(s2, weights, load<T>(x2));
        s3 = accumulate<T>(s3, weights, load<T>(x2 + step));
        w += pixel;
        from += pixel;
      } while (from != end);
      row += pitch;
    }
    storeFour<T>(s0, s1, s2, s3, load<T>(slopes + c), y + c, pixel);
  }
}

/**
 * Four adjacent outputs with windows three pixels wide, one pixel apart: each of six pixels in a row is loaded once.
 */
// @ts-ignore: decorator
@inline
function fourPixelsOfThree<T>(
  x: usize,
  pitch: usize,
  pixel: usize,
  height: i32,
  filters: usize,
  bias: usize,
  slopes: usize,
  y: usize,
): void {
  const gap = pixel << 1;
  for (let c: usize = 0; c < pixel; c += sizeof<T>()) {
    let s0 = load<T>(bias + c);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let w = filters + c;
    let row = x + c;
    for (let i = 0; i < height; i++) {
      const w0 = load<T>(w);
      const w1 = load<T>(w + pixel);
      const w2 = load<T>(w + gap);
      const x2 = row + gap;
      const x4 = x2 + gap;
      const a0 = load<T>(row);
      const a1 = load<T>(row + pixel);
      const a2 = load<T>(x2);
      const a3 = load<T>(x2 + pixel);
      const a4 = load<T>(x4);
      const a5 = load<T>(x4 + pixel);
      s0 = accumulate<T>(accumulate<T>(accumulate<T>(s0, w0, a0), w1, a1), w2, a2);
      s1 = accumulate<T>(accumulate<T>(accumulate<T>(s1, w0, a1), w1, a2), w2, a3);
      s2 = accumulate<T>(accumulate<T>(accumulate<T>(s2, w0, a2), w1, a3), w2, a4);
      s3 = accumulate<T>(accumulate<T>(accumulate<T>(s3, w0, a3), w1, a4), w2, a5);
      w += gap + pixel;
      row += pitch;
    }
    storeFour<T>(s0, s1, s2, s3, load<T>(slopes + c), y + c, pixel);
  }
}

/** One output, whose window is `height` rows of `width` bytes; the filters' rows are `gap` bytes apart. */
// @ts-ignore: decorator
@inline
function onePixel<T>(
  x: usize,
  pitch: usize,
  pixel: usize,
  height: i32,
  width: usize,
  filters: usize,
  gap: usize,
  bias: usize,
  slopes: usize,
  y: usize,
): void {
  for (let c: usize = 0; c < pixel; c += sizeof<T>()) {
    let sum = load<T>(bias + c);
    let w = filters + c;
    for (let i = 0; i < height; i++) {
      let from = x + c + <usize>i * pitch;
      const end = from + width;
      while (from < end) {
        sum = accumulate<T>(sum, load<T>(w), load<T>(from));
        w += pixel;
        from += pixel;
      }
      w += gap;
    }
    put<T>(y + c, sum, load<T>(slopes + c));
  }
}

// @ts-ignore: decorator
@inline
function convolveLanes<T>(
  x: usize,
  xHeight: i32,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  top: i32,
  left: i32,
  filters: usize,
  bias: usize,
  slopes: usize,
  y: usize,
  yHeight: i32,
  yWidth: i32,
): void {
  const pixel = <usize>channels << 2;
  const pitch = <usize>xWidth * pixel;
  const step = <usize>stride * pixel;
  const line = <usize>width * pixel;
  const isThree = width == 3 && stride == 1;
  // Columns whose windows lie wholly in the map are computed in fours; the last four may overlap the previous ones.
  const inner = (left + stride - 1) / stride;
  const lastFour = xWidth + left < width ? -1 : min(yWidth - 1, (xWidth - width + left) / stride) - 3;
  for (let row = 0; row < yHeight; row++) {
    const y0 = row * stride - top;
    const above = max(0, -y0);
    const inside = max(0, min(height, xHeight - y0) - above);
    const from = x + <usize>(y0 + above) * pitch;
    const weights = filters + <usize>above * line;
    let column = 0;
    while (column < yWidth) {
      if (inside > 0 && column >= inner && lastFour >= inner && column < lastFour + 4) {
        column = min(column, lastFour);
        const start = from + <usize>(column * stride - left) * pixel;
        const to = y + <usize>column * pixel;
        if (isThree) fourPixelsOfThree<T>(start, pitch, pixel, inside, weights, bias, slopes, to);
        else fourPixels<T>(start, step, pitch, pixel, inside, line, weights, bias, slopes, to);
        column += 4;
        continue;
      }
      const x0 = column * stride - left;
      const before = max(0, -x0);
      const across = <usize>max(0, min(width, xWidth - x0) - before) * pixel;
      const start = from + <usize>(x0 + before) * pixel;
      const first = weights + <usize>before * pixel;
      onePixel<T>(start, pitch, pixel, inside, across, first, line - across, bias, slopes, y + <usize>column * pixel);
      column++;
    }
    y += <usize>yWidth * pixel;
  }
}

/**
 * Convolves `x` (xHeight × xWidth × channels, with `top` rows and `left` columns of zeros before it) with a window of
 * `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × channels). `filters` is
 * [height][width][channels]. `bias` has one float per channel, and so has `slopes`, which multiplies negative results.
 * Zeros of the border are skipped.
 */
export function convolveDepthwise(
  x: usize,
  xHeight: i32,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  top: i32,
  left: i32,
  filters: usize,
  bias: usize,
  slopes: usize,
  y: usize,
  yHeight: i32,
  yWidth: i32,
): void {
  if (SCALAR) {
    convolveLanes<f32>(
      x, xHeight, xWidth, channels, height, width, stride, top, left,
      filters, bias, slopes, y, yHeight, yWidth,
    );
  } else {
    convolveLanes<v128>(
      x, xHeight, xWidth, channels, height, width, stride, top, left,
      filters, bias, slopes, y, yHeight, yWidth,
    );
  }
}
