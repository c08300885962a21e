// Depthwise convolution of integers of 16 bits. Maps are rows of pixels, channels innermost and a multiple of 8.
//
// Rows of the map, with the border's zeros, become lines in a ring of as many as a window covers, in the order in which
// they are multiplied. With vectors a line has two rows: pairs of integers, for two products in one instruction. Without,
// it has one row: numbers of 64 bits whose halves are pixels a stride apart, so that one multiplication makes a product
// for each of two outputs.

import { pixelAt } from '../convolution';
import { activateScalar } from '../depthwise';
import { activate } from '../multiply';
import { bounded, rounded, roundedScalar } from './requantise';

/** Interleaves two pixels of `bytes` bytes. */
// @ts-ignore: decorator
@inline
function interleave(a: usize, b: usize, bytes: usize, to: usize): void {
  if (SCALAR) {
    for (let c: usize = 0; c < bytes; c += 2) store<i64>(to + (c << 2), load<i16>(a + c) + (<i64>load<i16>(b + c) << 32));
    return;
  }
  for (let c: usize = 0; c < bytes; c += 16) {
    const first = v128.load(a + c);
    const second = v128.load(b + c);
    v128.store(to + (c << 1), v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11), 0);
    v128.store(to + (c << 1), v128.shuffle<i16>(first, second, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
}

// @ts-ignore: decorator
@inline
function accumulate(sum: v128, a: v128, b: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(a, b));
}

// @ts-ignore: decorator
@inline
function scaled(sum: v128, multiplier: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(sum), multiplier);
}

/**
 * Four outputs whose windows start `step` bytes apart, on `count` lines from `line` on, `width` bytes of each. Outputs are
 * `pixel` bytes apart; where both are 0, only one is wanted.
 */
function fourPixels(
  line: usize,
  count: i32,
  width: usize,
  lineBytes: usize,
  ring: usize,
  ringEnd: usize,
  step: usize,
  bytes: usize,
  filters: usize,
  bias: usize,
  multipliers: usize,
  slopes: usize,
  low: f32,
  most: f32,
  y: usize,
  pixel: usize,
): void {
  const lowest = f32x4.splat(low);
  const highest = f32x4.splat(most);
  for (let c: usize = 0; c < bytes; c += 16) {
    const at = c << 1;
    let s00 = v128.load(bias + at, 0);
    let s01 = v128.load(bias + at, 16);
    let s10 = s00;
    let s11 = s01;
    let s20 = s00;
    let s21 = s01;
    let s30 = s00;
    let s31 = s01;
    let w = filters + at;
    let row = line + at;
    for (let i = count; i > 0; i--) {
      let from = row;
      const end = row + width;
      do {
        const w0 = v128.load(w, 0);
        const w1 = v128.load(w, 16);
        const from2 = from + 2 * step;
        s00 = accumulate(s00, v128.load(from, 0), w0);
        s01 = accumulate(s01, v128.load(from, 16), w1);
        s10 = accumulate(s10, v128.load(from + step, 0), w0);
        s11 = accumulate(s11, v128.load(from + step, 16), w1);
        s20 = accumulate(s20, v128.load(from2, 0), w0);
        s21 = accumulate(s21, v128.load(from2, 16), w1);
        s30 = accumulate(s30, v128.load(from2 + step, 0), w0);
        s31 = accumulate(s31, v128.load(from2 + step, 16), w1);
        w += bytes << 1;
        from += bytes << 1;
      } while (from != end);
      row += lineBytes;
      if (row >= ringEnd) row -= ringEnd - ring;
    }
    const m0 = v128.load(multipliers + at, 0);
    const m1 = v128.load(multipliers + at, 16);
    s00 = scaled(s00, m0);
    s01 = scaled(s01, m1);
    s10 = scaled(s10, m0);
    s11 = scaled(s11, m1);
    s20 = scaled(s20, m0);
    s21 = scaled(s21, m1);
    s30 = scaled(s30, m0);
    s31 = scaled(s31, m1);
    if (slopes != 0) {
      const slope0 = v128.load(slopes + at, 0);
      const slope1 = v128.load(slopes + at, 16);
      s00 = activate(s00, slope0);
      s01 = activate(s01, slope1);
      s10 = activate(s10, slope0);
      s11 = activate(s11, slope1);
      s20 = activate(s20, slope0);
      s21 = activate(s21, slope1);
      s30 = activate(s30, slope0);
      s31 = activate(s31, slope1);
    }
    let to = y + c;
    v128.store(to, rounded(bounded(s00, lowest, highest), bounded(s01, lowest, highest)));
    to += pixel;
    v128.store(to, rounded(bounded(s10, lowest, highest), bounded(s11, lowest, highest)));
    to += pixel;
    v128.store(to, rounded(bounded(s20, lowest, highest), bounded(s21, lowest, highest)));
    to += pixel;
    v128.store(to, rounded(bounded(s30, lowest, highest), bounded(s31, lowest, highest)));
  }
}

/** Rounds one sum. */
// @ts-ignore: decorator
@inline
function putScalar(y: usize, sum: i32, multiplier: f32, slopes: usize, low: i32, most: i32): void {
  let value = <f32>sum * multiplier;
  if (slopes != 0) value = activateScalar(value, load<f32>(slopes));
  store<i16>(y, roundedScalar(value, low, most));
}

/** `fourPixels` with two sums to a number of 64 bits, each of them less than 2³¹. */
function fourScalars(
  line: usize,
  count: i32,
  width: usize,
  lineBytes: usize,
  ring: usize,
  ringEnd: usize,
  step: usize,
  bytes: usize,
  filters: usize,
  bias: usize,
  multipliers: usize,
  slopes: usize,
  low: f32,
  most: f32,
  y: usize,
  pixel: usize,
): void {
  for (let c: usize = 0; c < bytes; c += 2) {
    const both = <i64>load<i32>(bias + (c << 1));
    let s0 = both + (both << 32);
    let s2 = s0;
    let w = filters + c;
    let row = line + (c << 2);
    for (let i = count; i > 0; i--) {
      let from = row;
      const end = row + width;
      do {
        const weight = <i64>load<i16>(w);
        s0 += load<i64>(from) * weight;
        s2 += load<i64>(from + 2 * step) * weight;
        w += bytes;
        from += bytes << 2;
      } while (from != end);
      row += lineBytes;
      if (row >= ringEnd) row -= ringEnd - ring;
    }
    const to = y + c;
    const slope = slopes == 0 ? slopes : slopes + (c << 1);
    const m = load<f32>(multipliers + (c << 1));
    // The first last, since it is the one that is wanted where all go to one place.
    putScalar(to + 3 * pixel, <i32>((s2 - <i64><i32>s2) >> 32), m, slope, <i32>low, <i32>most);
    putScalar(to + 2 * pixel, <i32>s2, m, slope, <i32>low, <i32>most);
    putScalar(to + pixel, <i32>((s0 - <i64><i32>s0) >> 32), m, slope, <i32>low, <i32>most);
    putScalar(to, <i32>s0, m, slope, <i32>low, <i32>most);
  }
}

/**
 * Convolves `x` (xHeight × xWidth × channels, with `top` rows and `left` columns of zeros before it) with a window of
 * `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × channels). An output is the sum of `bias` (32
 * bits) and its products, which must fit 32 bits, times its multiplier; if negative times its slope, where `slopes` is not
 * 0; within `low` and `most`, rounded half to even.
 *
 * `filters` holds integers of 16 bits, [2][height / 2 + 1][width][channels][2]: pairs of rows for windows that start at an
 * even row, and for those that start at an odd one, with zeros for rows beside the window. Without vectors
 * [height][width][channels]. `scratch` takes a pixel and the lines of a window, of as many columns as windows cover.
 */
export function depthwiseIntegers(
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
  multipliers: usize,
  slopes: usize,
  low: f32,
  most: f32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  scratch: usize,
): void {
  const rows = SCALAR ? 1 : 2;
  const bytes = <usize>channels << 1;
  const pixel = SCALAR ? bytes << 2 : bytes << 1;
  const columns = (yWidth - 1) * stride + width;
  const lineBytes = <usize>columns * pixel;
  const lines = SCALAR ? height : height / 2 + 1;
  const ring = scratch + bytes;
  const ringEnd = ring + <usize>lines * lineBytes;
  memory.fill(scratch, 0, bytes);
  const few = yWidth < 4;
  const step: usize = few ? 0 : <usize>stride * pixel;
  const gap: usize = few ? 0 : bytes;
  const run = <usize>width * pixel;
  let made = 0;
  let next = ring;
  for (let row = 0; row < yHeight; row++) {
    const first = row * stride;
    const last = (first + height - 1) / rows;
    for (; made <= last; made++) {
      const y0 = made * rows - top;
      for (let column = 0; column < columns; column++) {
        const a = pixelAt(x, xHeight, xWidth, bytes, y0, column - left, scratch);
        const b = SCALAR
          ? pixelAt(x, xHeight, xWidth, bytes, y0, column - left + stride, scratch)
          : pixelAt(x, xHeight, xWidth, bytes, y0 + 1, column - left, scratch);
        interleave(a, b, bytes, next);
        next += pixel;
      }
      if (next == ringEnd) next = ring;
    }
    const count = last - first / rows + 1;
    const line = ring + <usize>((first / rows) % lines) * lineBytes;
    const weights = SCALAR || (first & 1) == 0 ? filters : filters + <usize>(lines * width) * pixel;
    for (let column = 0; column < yWidth; column += few ? 1 : 4) {
      const from = few ? column : min(column, yWidth - 4);
      const start = line + <usize>(from * stride) * pixel;
      const to = y + <usize>from * bytes;
      if (SCALAR) {
        fourScalars(start, count, run, lineBytes, ring, ringEnd, step, bytes, weights, bias, multipliers, slopes, low, most, to, gap);
      } else {
        fourPixels(start, count, run, lineBytes, ring, ringEnd, step, bytes, weights, bias, multipliers, slopes, low, most, to, gap);
      }
    }
    y += <usize>yWidth * bytes;
  }
}
