// Depthwise convolution of integers of 16 bits. Maps are rows of pixels, channels innermost and a multiple of 8.
//
// Rows of the map, with the border's zeros, are interleaved in twos to lines of numbers T. With vectors these are two rows
// of a window and four channels: one instruction makes two products of each. Without, they are rows of two windows, one
// below the other, in the halves of 64 bits: one multiplication makes a product of either. Numbers that are multiplied by
// one weight lie side by side.

import { activateScalar } from '../depthwise';
import { activate } from '../multiply';
import { roundedScalar, storeRounded } from './requantise';

/** Rows of outputs that are computed from one set of lines; an even number. */
const chunk = 8;

// @ts-ignore: decorator
@inline
function accumulate<T>(sum: T, a: T, b: T): T {
  if (isVector<T>()) return i32x4.add(sum, i32x4.dot_i16x8_s(a, b));
  return sum + a * b;
}

/** Writes the channels of two numbers, `pitch` bytes apart, from pixels of two rows. */
// @ts-ignore: decorator
@inline
function interleave(a: usize, b: usize, to: usize, pitch: usize): void {
  if (SCALAR) {
    store<i64>(to, <i64>load<i16>(a) + (<i64>load<i16>(b) << 32));
    store<i64>(to + pitch, <i64>load<i16>(a, 2) + (<i64>load<i16>(b, 2) << 32));
    return;
  }
  const first = v128.load(a);
  const second = v128.load(b);
  v128.store(to, v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
  v128.store(to + pitch, v128.shuffle<i16>(first, second, 4, 12, 5, 13, 6, 14, 7, 15));
}

/** Makes a line of two rows of `width` pixels with zeros beside them; a row beyond the map is `zeros`. */
function makeLine(a: usize, b: usize, zeros: usize, width: i32, bytes: usize, left: i32, columns: i32, to: usize): void {
  const aStep: usize = a == zeros ? 0 : bytes;
  const bStep: usize = b == zeros ? 0 : bytes;
  const size: usize = SCALAR ? 8 : 16;
  const pitch = <usize>columns * size;
  for (let c: usize = 0; c < bytes; c += SCALAR ? 4 : 16) {
    let above = aStep == 0 ? a : a + c;
    let below = bStep == 0 ? b : b + c;
    for (let column = -left; column < columns - left; column++) {
      if (<u32>column < <u32>width) {
        interleave(above, below, to, pitch);
        above += aStep;
        below += bStep;
      } else {
        interleave(zeros, zeros, to, pitch);
      }
      to += size;
    }
    to += pitch;
  }
}

/** An output of a sum of 32 bits. */
// @ts-ignore: decorator
@inline
function putScalar(y: usize, sum: i32, multiplier: f32, slopes: usize, low: i32, most: i32): void {
  let value = <f32>sum * multiplier;
  if (slopes != 0) value = activateScalar(value, load<f32>(slopes));
  store<i16>(y, roundedScalar(value, low, most));
}

/** The output of the upper half of a number, `below` bytes after that of the lower. */
// @ts-ignore: decorator
@inline
function putBoth(y: usize, below: usize, sums: i64, multiplier: f32, slopes: usize, low: i32, most: i32): void {
  putScalar(y + below, <i32>((sums - <i32>sums) >> 32), multiplier, slopes, low, most);
  putScalar(y, <i32>sums, multiplier, slopes, low, most);
}

// @ts-ignore: decorator
@inline
function scaled(sum: v128, multiplier: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(sum), multiplier);
}

/** A sum of each part of a T. */
// @ts-ignore: decorator
@inline
function begin<T>(bias: usize): T {
  if (isVector<T>()) return v128.load(bias);
  return <T>(<i64>load<i32>(bias) + (<i64>load<i32>(bias) << 32));
}

/**
 * A row of at least four outputs, or two, the lower one `below` bytes after, from `count` lines at `line`, `pitch` bytes
 * apart. Windows start `step` bytes apart and have three pixels where `threes`, which are read once for four windows if
 * they are one apart, and `others`. On a line `lineGap` bytes are for a T, as are `gap` of filters.
 */
function convolveRow<T>(
  line: usize,
  count: i32,
  pitch: usize,
  lineGap: usize,
  step: usize,
  threes: bool,
  others: i32,
  filters: usize,
  gap: usize,
  bias: usize,
  multipliers: usize,
  slopes: usize,
  low: f32,
  most: f32,
  y: usize,
  yWidth: i32,
  bytes: usize,
  below: usize,
): void {
  const yEnd = y + bytes;
  for (; y < yEnd; y += isVector<T>() ? 8 : 2) {
    const start = begin<T>(bias);
    let x = line;
    let to = y;
    let rest = yWidth - 4;
    while (true) {
      let row = x;
      let w = filters;
      let s0 = start;
      let s1 = start;
      let s2 = start;
      let s3 = start;
      for (let i = count; i > 0; i--) {
        let from = row;
        if (threes) {
          const w0 = load<T>(w);
          const w1 = load<T>(w, sizeof<T>());
          const w2 = load<T>(w, 2 * sizeof<T>());
          const a0 = load<T>(from);
          const a1 = load<T>(from, sizeof<T>());
          const a2 = load<T>(from, 2 * sizeof<T>());
          const a3 = load<T>(from, 3 * sizeof<T>());
          const a4 = load<T>(from, 4 * sizeof<T>());
          const a5 = load<T>(from, 5 * sizeof<T>());
          s0 = accumulate<T>(accumulate<T>(accumulate<T>(s0, a0, w0), a1, w1), a2, w2);
          s1 = accumulate<T>(accumulate<T>(accumulate<T>(s1, a1, w0), a2, w1), a3, w2);
          s2 = accumulate<T>(accumulate<T>(accumulate<T>(s2, a2, w0), a3, w1), a4, w2);
          s3 = accumulate<T>(accumulate<T>(accumulate<T>(s3, a3, w0), a4, w1), a5, w2);
          w += 3 * sizeof<T>();
          from += 3 * sizeof<T>();
        }
        if (others > 0) {
          const end = w + <usize>others * sizeof<T>();
          do {
            const weight = load<T>(w);
            const from2 = from + 2 * step;
            s0 = accumulate<T>(s0, load<T>(from), weight);
            s1 = accumulate<T>(s1, load<T>(from + step), weight);
            s2 = accumulate<T>(s2, load<T>(from2), weight);
            s3 = accumulate<T>(s3, load<T>(from2 + step), weight);
            w += sizeof<T>();
            from += sizeof<T>();
          } while (w != end);
        }
        row += pitch;
      }
      const to2 = to + 2 * bytes;
      if (isVector<T>()) {
        const m = v128.load(multipliers);
        let v0 = scaled(s0, m);
        let v1 = scaled(s1, m);
        let v2 = scaled(s2, m);
        let v3 = scaled(s3, m);
        if (slopes != 0) {
          const factor = v128.load(slopes);
          v0 = activate(v0, factor);
          v1 = activate(v1, factor);
          v2 = activate(v2, factor);
          v3 = activate(v3, factor);
        }
        const lowest = f32x4.splat(low);
        const highest = f32x4.splat(most);
        storeRounded(to2 + bytes, v3, lowest, highest);
        storeRounded(to2, v2, lowest, highest);
        storeRounded(to + bytes, v1, lowest, highest);
        storeRounded(to, v0, lowest, highest);
      } else {
        const m = load<f32>(multipliers);
        putBoth(to2 + bytes, below, <i64>s3, m, slopes, <i32>low, <i32>most);
        putBoth(to2, below, <i64>s2, m, slopes, <i32>low, <i32>most);
        putBoth(to + bytes, below, <i64>s1, m, slopes, <i32>low, <i32>most);
        putBoth(to, below, <i64>s0, m, slopes, <i32>low, <i32>most);
      }
      if (rest == 0) break;
      // The last four may overlap the previous ones.
      const next = min(4, rest);
      rest -= next;
      x += <usize>next * step;
      to += <usize>next * bytes;
    }
    line += lineGap;
    filters += gap;
    bias += isVector<T>() ? 16 : 4;
    multipliers += isVector<T>() ? 16 : 4;
    if (slopes != 0) slopes += isVector<T>() ? 16 : 4;
  }
}

/**
 * Convolves `x` (xHeight × xWidth × channels, with `top` rows and `left` columns of zeros before it) with a window of
 * `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × channels). An output is the sum of `bias` (32
 * bits) and its products, which must fit 32 bits, times its multiplier; if negative times its slope, where `slopes` is not
 * 0; within `low` and `most`, rounded half to even.
 *
 * `filters` holds integers of 16 bits, [2][channels / 4][height / 2 + 1][width][4][2]: pairs of rows for windows that start
 * at an even row, and for those that start at an odd one, with zeros for rows beside the window. Without vectors it holds
 * integers of 64 bits, [channels][height][width]. `scratch` takes 16 bytes, eight pixels, and the lines of `chunk` rows.
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
  // Rows of a line, and of outputs that are computed together: four or more columns of them.
  const rows = SCALAR ? 1 : 2;
  const together = SCALAR ? 2 : 1;
  const few = yWidth < 4;
  const wide = few ? 4 : yWidth;
  const bytes = <usize>channels << 1;
  const xPitch = <usize>xWidth * bytes;
  const yPitch = <usize>yWidth * bytes;
  const columns = (wide - 1) * stride + width;
  const size: usize = SCALAR ? 8 : 16;
  const lineGap = <usize>columns * size;
  const pitch = lineGap * <usize>(SCALAR ? channels : channels / 4);
  const step = <usize>stride * size;
  const threes = width >= 3 && stride == 1;
  const others = threes ? width - 3 : width;
  const gap = <usize>((SCALAR ? height : height / 2 + 1) * width) * size;
  memory.fill(scratch, 0, 16);
  // Where a row is less than four outputs, it is a copy.
  const copy = scratch + 16;
  const lines = copy + (bytes << 3);
  for (let first = 0; first < yHeight; first += chunk) {
    const end = min(yHeight, first + chunk);
    const read = ((end - 1 - first) / together) * together * stride + height;
    for (let row = 0; row < read; row += rows) {
      // No window covers it.
      if (SCALAR && row % (2 * stride) >= height) continue;
      const above = first * stride + row - top;
      const below = above + (SCALAR ? stride : 1);
      const a = <u32>above < <u32>xHeight ? x + <usize>above * xPitch : scratch;
      const b = <u32>below < <u32>xHeight ? x + <usize>below * xPitch : scratch;
      makeLine(a, b, scratch, xWidth, bytes, left, columns, lines + <usize>(row / rows) * pitch);
    }
    for (let row = first; row < end; row += together) {
      const from = (row - first) * stride;
      const line = lines + <usize>(from / rows) * pitch;
      const count = (from % rows + height - 1) / rows + 1;
      const to = few ? copy : y;
      // Where there is no row below, the upper one is stored last.
      const below = row + together > yHeight ? <usize>0 : few ? bytes << 2 : yPitch;
      if (SCALAR) {
        convolveRow<i64>(
          line, count, pitch, lineGap, step, threes, others, filters, gap,
          bias, multipliers, slopes, low, most, to, wide, bytes, below,
        );
      } else {
        const w = from % 2 == 0 ? filters : filters + gap * <usize>(channels / 4);
        convolveRow<v128>(
          line, count, pitch, lineGap, step, threes, others, w, gap,
          bias, multipliers, slopes, low, most, to, wide, bytes, 0,
        );
      }
      if (few) memory.copy(y, copy, yPitch);
      if (few && SCALAR && below != 0) memory.copy(y + yPitch, copy + below, yPitch);
      y += yPitch * <usize>together;
    }
  }
}
