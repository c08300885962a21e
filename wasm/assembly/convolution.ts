// Convolution of any window, stride and border of zeros. Maps are f32, rows of pixels, channels innermost. The windows of some
// pixels at a time are packed, four pixels side by side, in the order in which the multiplication reads them; a packed block
// stays in a cache while all outputs are computed from it.

import { multiplyPacked } from './multiply';

/** Copies `channels` floats from each of four places, side by side: [channels][4]. */
// @ts-ignore: decorator
@inline
function interleave(a0: usize, a1: usize, a2: usize, a3: usize, channels: i32, to: usize): void {
  const end = to + (<usize>channels << 4);
  const whole = to + (<usize>(channels & ~3) << 4);
  while (to < whole) {
    const r0 = v128.load(a0);
    const r1 = v128.load(a1);
    const r2 = v128.load(a2);
    const r3 = v128.load(a3);
    const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
    const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
    const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
    const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
    v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2), 0);
    v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3), 16);
    v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), 32);
    v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3), 48);
    a0 += 16;
    a1 += 16;
    a2 += 16;
    a3 += 16;
    to += 64;
  }
  while (to < end) {
    store<f32>(to, load<f32>(a0), 0);
    store<f32>(to, load<f32>(a1), 4);
    store<f32>(to, load<f32>(a2), 8);
    store<f32>(to, load<f32>(a3), 12);
    a0 += 4;
    a1 += 4;
    a2 += 4;
    a3 += 4;
    to += 16;
  }
}

/** Where a map's pixel lies, or `zeros` for one beyond its border. */
// @ts-ignore: decorator
@inline
function pixelAt(x: usize, height: i32, width: i32, pixel: usize, row: i32, column: i32, zeros: usize): usize {
  const inside = <u32>row < <u32>height && <u32>column < <u32>width;
  return inside ? x + <usize>(row * width + column) * pixel : zeros;
}

/** Packs the windows of four outputs, whose first pixels are given by row and column: [height][width][channels][4]. */
function packWindows(
  x: usize,
  xHeight: i32,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  row0: i32,
  column0: i32,
  row1: i32,
  column1: i32,
  row2: i32,
  column2: i32,
  row3: i32,
  column3: i32,
  zeros: usize,
  to: usize,
): void {
  const pixel = <usize>channels << 2;
  for (let i = 0; i < height; i++) {
    for (let j = 0; j < width; j++) {
      const a0 = pixelAt(x, xHeight, xWidth, pixel, row0 + i, column0 + j, zeros);
      const a1 = pixelAt(x, xHeight, xWidth, pixel, row1 + i, column1 + j, zeros);
      const a2 = pixelAt(x, xHeight, xWidth, pixel, row2 + i, column2 + j, zeros);
      const a3 = pixelAt(x, xHeight, xWidth, pixel, row3 + i, column3 + j, zeros);
      interleave(a0, a1, a2, a3, channels, to);
      to += pixel << 2;
    }
  }
}

/**
 * Window `height` × `width` at every `stride` pixels of `x`, of xHeight × xWidth × channels with `top` rows and `left` columns of
 * zeros before it, to `y` of yHeight × yWidth × yChannels, a multiple of 8. `filters` has for each eight outputs in turn the
 * window's floats, eight weights each; `bias` one float an output, and so `slopes` for what is negative, 0 for none. `residual`
 * is 0, or a map like `y` to add before. `rows` pixels, a multiple of 4, are worked on at a time, in `scratch`: channels + 3 and
 * rows · height · width · channels floats.
 */
export function convolve(
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
  residual: usize,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  yChannels: i32,
  scratch: usize,
  rows: i32,
): void {
  const inner = height * width * channels;
  const tile = <usize>inner << 4;
  const yPixel = <usize>yChannels << 2;
  const pixels = yHeight * yWidth;
  const last = pixels - 1;
  const packed = scratch + (<usize>((channels + 3) & ~3) << 2);
  for (let at = scratch; at < packed; at += 16) v128.store(at, f32x4.splat(0));
  for (let first = 0; first < pixels; first += rows) {
    const end = min(pixels, first + rows);
    let to = packed;
    for (let p = first; p < end; p += 4) {
      // Past the end the last pixel is computed again.
      const p1 = min(p + 1, last);
      const p2 = min(p + 2, last);
      const p3 = min(p + 3, last);
      packWindows(
        x,
        xHeight,
        xWidth,
        channels,
        height,
        width,
        (p / yWidth) * stride - top,
        (p % yWidth) * stride - left,
        (p1 / yWidth) * stride - top,
        (p1 % yWidth) * stride - left,
        (p2 / yWidth) * stride - top,
        (p2 % yWidth) * stride - left,
        (p3 / yWidth) * stride - top,
        (p3 % yWidth) * stride - left,
        scratch,
        to,
      );
      to += tile;
    }
    let b = filters;
    for (let o: usize = 0; o < yPixel; o += 32) {
      let from = packed;
      const slopesHere = slopes == 0 ? slopes : slopes + o;
      for (let p = first; p < end; p += 4) {
        multiplyPacked(
          from,
          b,
          inner,
          bias + o,
          slopesHere,
          residual,
          y,
          <usize>p * yPixel + o,
          <usize>min(p + 1, last) * yPixel + o,
          <usize>min(p + 2, last) * yPixel + o,
          <usize>min(p + 3, last) * yPixel + o,
        );
        from += tile;
      }
      b += tile << 1;
    }
  }
}
