// Depthwise convolution. Maps are rows of pixels, channels innermost: E is f32, or i16 for integers.
//
// Rows of the map, with the border's zeros, become lines of numbers T: four channels of floats, or one without vectors. Rows
// of integers are interleaved in twos. With vectors these are two rows of a window and four channels: one instruction
// makes two products of each. Without, they are rows of two windows, one below the other, in the halves of 64 bits: one
// multiplication makes a product of either. Numbers that are multiplied by one weight lie side by side.

import { roundedScalar, storeRounded } from './requantise';
import { activate } from './multiply';

/** Rows of outputs that are computed from one set of lines; an even number. */
const chunk = 8;

/** `activate` of one float; without a branch, since nobody can predict a sign. */
// @ts-ignore: decorator
@inline
export function activateScalar(value: f32, slope: f32): f32 {
  const bits = reinterpret<i32>(value);
  const positive = reinterpret<f32>(bits & (<i32>(value < 0) - 1));
  return positive + slope * reinterpret<f32>(bits & (<i32>(value > 0) - 1));
}

/** Writes the numbers of two rows' pixels, of integers to two lines of channels `pitch` bytes apart. */
// @ts-ignore: decorator
@inline
function interleave<E>(a: usize, b: usize, to: usize, pitch: usize): void {
  if (!isInteger<E>()) {
    if (SCALAR) store<f32>(to, load<f32>(a));
    else v128.store(to, v128.load(a));
  } else if (SCALAR) {
    store<i64>(to, <i64>load<i16>(a) + (<i64>load<i16>(b) << 32));
    store<i64>(to + pitch, <i64>load<i16>(a, 2) + (<i64>load<i16>(b, 2) << 32));
  } else {
    const first = v128.load(a);
    const second = v128.load(b);
    v128.store(to, v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(to + pitch, v128.shuffle<i16>(first, second, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

/** Interleaves `count` pixels of two rows, each so many bytes apart; answers where the next one goes. */
// @ts-ignore: decorator
@inline
function interleaveRun<E, T>(a: usize, b: usize, aStep: usize, bStep: usize, count: i32, to: usize, pitch: usize): usize {
  const end = to + <usize>count * sizeof<T>();
  for (; to < end; to += sizeof<T>()) {
    interleave<E>(a, b, to, pitch);
    a += aStep;
    b += bStep;
  }
  return to;
}

/** Makes a line of two rows of `width` pixels with zeros beside them; a row beyond the map is `zeros`. */
// @ts-ignore: decorator
@inline
function makeLine<E, T>(
  a: usize,
  b: usize,
  zeros: usize,
  width: i32,
  bytes: usize,
  left: i32,
  columns: i32,
  to: usize,
): void {
  const aStep: usize = a == zeros ? 0 : bytes;
  const bStep: usize = b == zeros ? 0 : bytes;
  const pitch = <usize>columns * sizeof<T>();
  const before = min(left, columns);
  const inside = min(width, columns - before);
  const after = columns - before - inside;
  for (let c: usize = 0; c < bytes; c += SCALAR ? 4 : 16) {
    to = interleaveRun<E, T>(zeros, zeros, 0, 0, before, to, pitch);
    to = interleaveRun<E, T>(aStep == 0 ? a : a + c, bStep == 0 ? b : b + c, aStep, bStep, inside, to, pitch);
    to = interleaveRun<E, T>(zeros, zeros, 0, 0, after, to, pitch);
    if (isInteger<E>()) to += pitch;
  }
}

/** The sum that starts with a bias of each part of a T. */
// @ts-ignore: decorator
@inline
function begin<T>(bias: usize): T {
  if (isInteger<T>()) return <T>(<i64>load<i32>(bias) + (<i64>load<i32>(bias) << 32));
  return load<T>(bias);
}

// @ts-ignore: decorator
@inline
function accumulate<E, T>(sum: T, a: T, b: T): T {
  if (!isVector<T>()) return sum + a * b;
  if (isInteger<E>()) return i32x4.add(sum, i32x4.dot_i16x8_s(a, b));
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** An integer of a sum of 32 bits. */
// @ts-ignore: decorator
@inline
function putInteger(y: usize, sum: i32, multipliers: usize, slopes: usize, low: f32, most: f32): void {
  let value = <f32>sum * load<f32>(multipliers);
  if (slopes != 0) value = activateScalar(value, load<f32>(slopes));
  store<i16>(y, roundedScalar(value, low, most));
}

/** The outputs of a sum; that of an upper half `below` bytes after. Vectors for integers are real numbers already. */
// @ts-ignore: decorator
@inline
function put<E, T>(y: usize, below: usize, sum: T, multipliers: usize, slopes: usize, low: f32, most: f32): void {
  if (!isInteger<E>()) {
    if (isVector<T>()) store<T>(y, activate(sum, load<T>(slopes)));
    else store<T>(y, activateScalar(sum, load<T>(slopes)));
  } else if (isVector<T>()) {
    storeRounded(y, sum, f32x4.splat(low), f32x4.splat(most));
  } else {
    putInteger(y + below, <i32>((sum - <i32>sum) >> 32), multipliers, slopes, low, most);
    putInteger(y, <i32>sum, multipliers, slopes, low, most);
  }
}

/**
 * A row of at least four outputs, or two, the lower one `below` bytes after, from `count` lines at `line`, `pitch` bytes
 * apart. Windows start `step` bytes apart and have three pixels where `threes`, which are read once for four windows if
 * they are one apart, and `others`. On a line `lineGap` bytes are for a T, as are `gap` of filters.
 */
function convolveRow<E, T>(
  line: usize,
  count: i32,
  pitch: usize,
  lineGap: usize,
  step: usize,
  threes: i32,
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
  const channels: usize = isVector<T>() ? 4 : 1;
  for (; y < yEnd; y += channels * sizeof<E>()) {
    const start = begin<T>(bias);
    const isGentle = isInteger<E>() && isVector<T>() && slopes != 0
      && i32x4.all_true(f32x4.le(v128.load(slopes), f32x4.splat(1)));
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
        if (threes == 2) {
          const w0 = load<T>(w);
          const w1 = load<T>(w, sizeof<T>());
          const w2 = load<T>(w, 2 * sizeof<T>());
          const a2 = load<T>(from, 2 * sizeof<T>());
          const a4 = load<T>(from, 4 * sizeof<T>());
          const a6 = load<T>(from, 6 * sizeof<T>());
          s0 = accumulate<E, T>(accumulate<E, T>(s0, load<T>(from), w0), load<T>(from, sizeof<T>()), w1);
          s1 = accumulate<E, T>(accumulate<E, T>(s1, a2, w0), load<T>(from, 3 * sizeof<T>()), w1);
          s2 = accumulate<E, T>(accumulate<E, T>(s2, a4, w0), load<T>(from, 5 * sizeof<T>()), w1);
          s3 = accumulate<E, T>(accumulate<E, T>(s3, a6, w0), load<T>(from, 7 * sizeof<T>()), w1);
          s0 = accumulate<E, T>(s0, a2, w2);
          s1 = accumulate<E, T>(s1, a4, w2);
          s2 = accumulate<E, T>(s2, a6, w2);
          s3 = accumulate<E, T>(s3, load<T>(from, 8 * sizeof<T>()), w2);
          w += 3 * sizeof<T>();
          from += 3 * sizeof<T>();
        } else if (threes == 1) {
          const w0 = load<T>(w);
          const w1 = load<T>(w, sizeof<T>());
          const w2 = load<T>(w, 2 * sizeof<T>());
          const a0 = load<T>(from);
          const a1 = load<T>(from, sizeof<T>());
          const a2 = load<T>(from, 2 * sizeof<T>());
          const a3 = load<T>(from, 3 * sizeof<T>());
          const a4 = load<T>(from, 4 * sizeof<T>());
          const a5 = load<T>(from, 5 * sizeof<T>());
          s0 = accumulate<E, T>(accumulate<E, T>(accumulate<E, T>(s0, a0, w0), a1, w1), a2, w2);
          s1 = accumulate<E, T>(accumulate<E, T>(accumulate<E, T>(s1, a1, w0), a2, w1), a3, w2);
          s2 = accumulate<E, T>(accumulate<E, T>(accumulate<E, T>(s2, a2, w0), a3, w1), a4, w2);
          s3 = accumulate<E, T>(accumulate<E, T>(accumulate<E, T>(s3, a3, w0), a4, w1), a5, w2);
          w += 3 * sizeof<T>();
          from += 3 * sizeof<T>();
        }
        if (others > 0) {
          const end = w + <usize>others * sizeof<T>();
          do {
            const weight = load<T>(w);
            const from2 = from + 2 * step;
            s0 = accumulate<E, T>(s0, load<T>(from), weight);
            s1 = accumulate<E, T>(s1, load<T>(from + step), weight);
            s2 = accumulate<E, T>(s2, load<T>(from2), weight);
            s3 = accumulate<E, T>(s3, load<T>(from2 + step), weight);
            w += sizeof<T>();
            from += sizeof<T>();
          } while (w != end);
        }
        row += pitch;
      }
      if (isInteger<E>() && isVector<T>()) {
        const m = v128.load(multipliers);
        s0 = f32x4.mul(f32x4.convert_i32x4_s(s0), m);
        s1 = f32x4.mul(f32x4.convert_i32x4_s(s1), m);
        s2 = f32x4.mul(f32x4.convert_i32x4_s(s2), m);
        s3 = f32x4.mul(f32x4.convert_i32x4_s(s3), m);
        // Slopes of at most one make the larger of two numbers.
        if (isGentle) {
          const slope = v128.load(slopes);
          s0 = f32x4.pmax(s0, f32x4.mul(s0, slope));
          s1 = f32x4.pmax(s1, f32x4.mul(s1, slope));
          s2 = f32x4.pmax(s2, f32x4.mul(s2, slope));
          s3 = f32x4.pmax(s3, f32x4.mul(s3, slope));
        } else if (slopes != 0) {
          const slope = v128.load(slopes);
          s0 = activate(s0, slope);
          s1 = activate(s1, slope);
          s2 = activate(s2, slope);
          s3 = activate(s3, slope);
        }
      }
      const to2 = to + 2 * bytes;
      put<E, T>(to2 + bytes, below, s3, multipliers, slopes, low, most);
      put<E, T>(to2, below, s2, multipliers, slopes, low, most);
      put<E, T>(to + bytes, below, s1, multipliers, slopes, low, most);
      put<E, T>(to, below, s0, multipliers, slopes, low, most);
      if (rest == 0) break;
      // The last four may overlap the previous ones.
      const next = min(4, rest);
      rest -= next;
      x += <usize>next * step;
      to += <usize>next * bytes;
    }
    line += lineGap;
    filters += gap;
    bias += channels << 2;
    multipliers += channels << 2;
    if (slopes != 0) slopes += channels << 2;
  }
}

// @ts-ignore: decorator
@inline
function convolveMap<E, T>(
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
  const rows = isInteger<E>() && isVector<T>() ? 2 : 1;
  const together = isInteger<T>() ? 2 : 1;
  const few = yWidth < 4;
  const wide = few ? 4 : yWidth;
  const bytes = <usize>channels * sizeof<E>();
  const xPitch = <usize>xWidth * bytes;
  const yPitch = <usize>yWidth * bytes;
  const columns = (wide - 1) * stride + width;
  const lineGap = <usize>columns * sizeof<T>();
  const numbers = <usize>(isVector<T>() ? channels / 4 : channels);
  const pitch = lineGap * numbers;
  const step = <usize>stride * sizeof<T>();
  const threes = width >= 3 && stride <= 2 ? stride : 0;
  const others = threes > 0 ? width - 3 : width;
  const gap = <usize>((rows == 2 ? height / 2 + 1 : height) * width) * sizeof<T>();
  memory.fill(scratch, 0, 16);
  // Where a row is less than four outputs, it is a copy.
  const copy = scratch + 16;
  const lines = copy + (bytes << 3);
  for (let first = 0; first < yHeight; first += chunk) {
    const end = min(yHeight, first + chunk);
    const read = ((end - 1 - first) / together) * together * stride + height;
    for (let row = 0; row < read; row += rows) {
      // No window covers it.
      if (rows == 1 && row % (together * stride) >= height) continue;
      const above = first * stride + row - top;
      const below = above + (together == 2 ? stride : 1);
      const a = <u32>above < <u32>xHeight ? x + <usize>above * xPitch : scratch;
      const b = <u32>below < <u32>xHeight ? x + <usize>below * xPitch : scratch;
      makeLine<E, T>(a, b, scratch, xWidth, bytes, left, columns, lines + <usize>(row / rows) * pitch);
    }
    for (let row = first; row < end; row += together) {
      const from = (row - first) * stride;
      const line = lines + <usize>(from / rows) * pitch;
      const count = (from % rows + height - 1) / rows + 1;
      const w = from % rows == 0 ? filters : filters + gap * numbers;
      const to = few ? copy : y;
      // Where there is no row below, the upper one is stored last.
      const below = row + together > yHeight ? <usize>0 : few ? bytes << 2 : yPitch;
      convolveRow<E, T>(
        line, count, pitch, lineGap, step, threes, others, w, gap,
        bias, multipliers, slopes, low, most, to, wide, bytes, below,
      );
      if (few) memory.copy(y, copy, yPitch);
      if (few && together == 2 && below != 0) memory.copy(y + yPitch, copy + below, yPitch);
      y += yPitch * <usize>together;
    }
  }
}

/**
 * Convolves `x` (xHeight × xWidth × channels, with `top` rows and `left` columns of zeros before it) with a window of
 * `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × channels). `scratch` takes 16 bytes, eight pixels,
 * and the lines of `chunk` rows.
 *
 * Floats, where `multipliers` is 0: `filters` is [channels / 4][height][width][4], without vectors [channels][height]
 * [width]. `bias` has one float per channel, and so has `slopes`, which multiplies negative results.
 *
 * Integers of 16 bits, eights of channels: an output is the sum of `bias` (32 bits) and its products, which must fit 32
 * bits, times its multiplier; if negative times its slope, where `slopes` is not 0; within `low` and `most`, rounded half
 * to even. `filters` is [2][channels / 4][height / 2 + 1][width][4][2]: pairs of rows for windows that start at an even
 * row, and for those that start at an odd one, with zeros for rows beside the window. Without vectors it holds integers of
 * 64 bits, [channels][height][width].
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
  multipliers: usize,
  slopes: usize,
  low: f32,
  most: f32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  scratch: usize,
): void {
  if (SCALAR && multipliers == 0) {
    convolveMap<f32, f32>(
      x, xHeight, xWidth, channels, height, width, stride, top, left,
      filters, bias, multipliers, slopes, low, most, y, yHeight, yWidth, scratch,
    );
  } else if (SCALAR) {
    convolveMap<i16, i64>(
      x, xHeight, xWidth, channels, height, width, stride, top, left,
      filters, bias, multipliers, slopes, low, most, y, yHeight, yWidth, scratch,
    );
  } else if (multipliers == 0) {
    convolveMap<f32, v128>(
      x, xHeight, xWidth, channels, height, width, stride, top, left,
      filters, bias, multipliers, slopes, low, most, y, yHeight, yWidth, scratch,
    );
  } else {
    convolveMap<i16, v128>(
      x, xHeight, xWidth, channels, height, width, stride, top, left,
      filters, bias, multipliers, slopes, low, most, y, yHeight, yWidth, scratch,
    );
  }
}
