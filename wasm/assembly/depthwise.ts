// Depthwise convolution. Maps are f32, rows of pixels, channels innermost and a multiple of 4.

import { activate } from './multiply';

// @ts-ignore: decorator
@inline
function storeFour(s0: v128, s1: v128, s2: v128, s3: v128, slope: v128, y: usize, pixel: usize): void {
  v128.store(y, activate(s0, slope));
  v128.store(y + pixel, activate(s1, slope));
  v128.store(y + 2 * pixel, activate(s2, slope));
  v128.store(y + 3 * pixel, activate(s3, slope));
}

/**
 * Four adjacent outputs, whose windows start at `x` and every `step` bytes after; window rows are `pitch` bytes apart.
 */
// @ts-ignore: decorator
@inline
function fourPixels(
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
  for (let c: usize = 0; c < pixel; c += 16) {
    let s0 = v128.load(bias + c);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let w = filters + c;
    let row = x + c;
    for (let i = 0; i < height; i++) {
      let from = row;
      const end = row + width;
      do {
        const weights = v128.load(w);
        const x2 = from + 2 * step;
        s0 = f32x4.add(s0, f32x4.mul(weights, v128.load(from)));
        s1 = f32x4.add(s1, f32x4.mul(weights, v128.load(from + step)));
        s2 = f32x4.add(s2, f32x4.mul(weights, v128.load(x2)));
        s3 = f32x4.add(s3, f32x4.mul(weights, v128.load(x2 + step)));
        w += pixel;
        from += pixel;
      } while (from != end);
      row += pitch;
    }
    storeFour(s0, s1, s2, s3, v128.load(slopes + c), y + c, pixel);
  }
}

/**
 * Four adjacent outputs with windows three pixels wide, one pixel apart: each of six pixels in a row is loaded once.
 */
// @ts-ignore: decorator
@inline
function fourPixelsOfThree(
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
  for (let c: usize = 0; c < pixel; c += 16) {
    let s0 = v128.load(bias + c);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let w = filters + c;
    let row = x + c;
    for (let i = 0; i < height; i++) {
      const w0 = v128.load(w);
      const w1 = v128.load(w + pixel);
      const w2 = v128.load(w + gap);
      const x2 = row + gap;
      const x4 = x2 + gap;
      const a0 = v128.load(row);
      const a1 = v128.load(row + pixel);
      const a2 = v128.load(x2);
      const a3 = v128.load(x2 + pixel);
      const a4 = v128.load(x4);
      const a5 = v128.load(x4 + pixel);
      s0 = f32x4.add(f32x4.add(f32x4.add(s0, f32x4.mul(w0, a0)), f32x4.mul(w1, a1)), f32x4.mul(w2, a2));
      s1 = f32x4.add(f32x4.add(f32x4.add(s1, f32x4.mul(w0, a1)), f32x4.mul(w1, a2)), f32x4.mul(w2, a3));
      s2 = f32x4.add(f32x4.add(f32x4.add(s2, f32x4.mul(w0, a2)), f32x4.mul(w1, a3)), f32x4.mul(w2, a4));
      s3 = f32x4.add(f32x4.add(f32x4.add(s3, f32x4.mul(w0, a3)), f32x4.mul(w1, a4)), f32x4.mul(w2, a5));
      w += gap + pixel;
      row += pitch;
    }
    storeFour(s0, s1, s2, s3, v128.load(slopes + c), y + c, pixel);
  }
}

/** One output, whose window is `height` rows of `width` bytes; the filters' rows are `gap` bytes apart. */
// @ts-ignore: decorator
@inline
function onePixel(
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
  for (let c: usize = 0; c < pixel; c += 16) {
    let sum = v128.load(bias + c);
    let w = filters + c;
    for (let i = 0; i < height; i++) {
      let from = x + c + <usize>i * pitch;
      const end = from + width;
      while (from < end) {
        sum = f32x4.add(sum, f32x4.mul(v128.load(w), v128.load(from)));
        w += pixel;
        from += pixel;
      }
      w += gap;
    }
    v128.store(y + c, activate(sum, v128.load(slopes + c)));
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
        if (isThree) fourPixelsOfThree(start, pitch, pixel, inside, weights, bias, slopes, to);
        else fourPixels(start, step, pitch, pixel, inside, line, weights, bias, slopes, to);
        column += 4;
        continue;
      }
      const x0 = column * stride - left;
      const before = max(0, -x0);
      const across = <usize>max(0, min(width, xWidth - x0) - before) * pixel;
      const start = from + <usize>(x0 + before) * pixel;
      const first = weights + <usize>before * pixel;
      onePixel(start, pitch, pixel, inside, across, first, line - across, bias, slopes, y + <usize>column * pixel);
      column++;
    }
    y += <usize>yWidth * pixel;
  }
}
