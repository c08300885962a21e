// Convolution of each channel by itself. Maps are f32, rows of pixels, channels innermost and a multiple of 4.

import { activate } from './multiply';

// @ts-ignore: decorator
@inline
function finish(sum: v128, slopes: usize, y: usize): void {
  v128.store(y, slopes == 0 ? sum : activate(sum, v128.load(slopes)));
}

/** Four outputs side by side, whose windows start at `x` and every `step` bytes on; rows of windows `pitch` bytes apart. */
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
    const slopesHere = slopes == 0 ? slopes : slopes + c;
    const to = y + c;
    finish(s0, slopesHere, to);
    finish(s1, slopesHere, to + pixel);
    finish(s2, slopesHere, to + 2 * pixel);
    finish(s3, slopesHere, to + 3 * pixel);
  }
}

/** One output, whose window is `height` rows of `width` bytes; `gap` bytes of filters lie between two rows of it. */
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
    finish(sum, slopes == 0 ? slopes : slopes + c, y + c);
  }
}

/**
 * Window `height` × `width` at every `stride` pixels of `x`, of xHeight × xWidth × channels with `top` rows and `left` columns of
 * zeros before it, to `y` of yHeight × yWidth × channels. `filters` is [height][width][channels]; `bias` one float a channel, and
 * so `slopes` for what is negative, 0 for none. Only what lies in the map is read: zeros add nothing.
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
  for (let row = 0; row < yHeight; row++) {
    const y0 = row * stride - top;
    const above = max(0, -y0);
    const inside = max(0, min(height, xHeight - y0) - above);
    const from = x + <usize>(y0 + above) * pitch;
    const weights = filters + <usize>above * line;
    let column = 0;
    while (column < yWidth) {
      const x0 = column * stride - left;
      const isInner = x0 >= 0 && column + 4 <= yWidth && x0 + 3 * stride + width <= xWidth;
      if (isInner && inside > 0) {
        const start = from + <usize>x0 * pixel;
        fourPixels(start, step, pitch, pixel, inside, line, weights, bias, slopes, y);
        column += 4;
        y += pixel << 2;
        continue;
      }
      const before = max(0, -x0);
      const across = <usize>max(0, min(width, xWidth - x0) - before) * pixel;
      const start = from + <usize>(x0 + before) * pixel;
      const first = weights + <usize>before * pixel;
      onePixel(start, pitch, pixel, inside, across, first, line - across, bias, slopes, y);
      column++;
      y += pixel;
    }
  }
}
