// Convolution of integers of 16 bits. Maps are rows of pixels, channels innermost and a multiple of 4. Nothing is
// packed but a border: every window is read from where it lies, row by row, since a row of a window is contiguous.

import { activateScalar } from '../depthwise';
import { activate } from '../multiply';
import { bounded, dequantised, rounded, roundedScalar } from './requantise';

/** Pixels and weights stay in the first-level cache while eight outputs are computed: bytes of pixels at a time. */
const blockBytes: usize = 16384;

/** The upper of two weights in a double is multiplied by this, and so is its sum. */
const upper: f64 = 134217728;

// @ts-ignore: decorator
@inline
function accumulate(sum: v128, a: v128, b: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(a, b));
}

// @ts-ignore: decorator
@inline
function put(y: usize, first: v128, second: v128, low: v128, most: v128, isFloat: bool): void {
  const a = bounded(first, low, most);
  const b = bounded(second, low, most);
  if (isFloat) {
    v128.store(y, a, 0);
    v128.store(y, b, 16);
  } else {
    v128.store(y, rounded(a, b));
  }
}

/**
 * Computes eight outputs of the pixels listed from `list` to `end`, four at a time: for each the address of its window,
 * whose `height` rows of `run` bytes are `pitch` bytes apart, and the place of its outputs among `y` and `residual`.
 */
function multiplyPanel(
  list: usize,
  end: usize,
  run: usize,
  pitch: usize,
  height: i32,
  filters: usize,
  bias: usize,
  multipliers: usize,
  slopes: usize,
  residual: usize,
  residualMultiplier: f32,
  low: f32,
  most: f32,
  y: usize,
  isFloat: bool,
): void {
  const gap = pitch - run;
  for (; list < end; list += 32) {
    let a0: usize = load<u32>(list, 0);
    let a1: usize = load<u32>(list, 8);
    let a2: usize = load<u32>(list, 16);
    let a3: usize = load<u32>(list, 24);
    let w = filters;
    let s00 = v128.load(bias, 0);
    let s01 = v128.load(bias, 16);
    let s10 = s00;
    let s11 = s01;
    let s20 = s00;
    let s21 = s01;
    let s30 = s00;
    let s31 = s01;
    for (let rows = height; rows > 0; rows--) {
      const stop = a0 + run;
      while (true) {
        const b0 = v128.load(w, 0);
        const b1 = v128.load(w, 16);
        const x0 = v128.load32_splat(a0);
        const x1 = v128.load32_splat(a1);
        const x2 = v128.load32_splat(a2);
        const x3 = v128.load32_splat(a3);
        s00 = accumulate(s00, x0, b0);
        s01 = accumulate(s01, x0, b1);
        s10 = accumulate(s10, x1, b0);
        s11 = accumulate(s11, x1, b1);
        s20 = accumulate(s20, x2, b0);
        s21 = accumulate(s21, x2, b1);
        s30 = accumulate(s30, x3, b0);
        s31 = accumulate(s31, x3, b1);
        // Never so. The branch makes two basic blocks of the two steps.
        if (w == a0) break;
        const d0 = v128.load(w, 32);
        const d1 = v128.load(w, 48);
        const z0 = v128.load32_splat(a0, 4);
        const z1 = v128.load32_splat(a1, 4);
        const z2 = v128.load32_splat(a2, 4);
        const z3 = v128.load32_splat(a3, 4);
        s00 = accumulate(s00, z0, d0);
        s01 = accumulate(s01, z0, d1);
        s10 = accumulate(s10, z1, d0);
        s11 = accumulate(s11, z1, d1);
        s20 = accumulate(s20, z2, d0);
        s21 = accumulate(s21, z2, d1);
        s30 = accumulate(s30, z3, d0);
        s31 = accumulate(s31, z3, d1);
        a0 += 8;
        a1 += 8;
        a2 += 8;
        a3 += 8;
        w += 64;
        if (a0 == stop) break;
      }
      a0 += gap;
      a1 += gap;
      a2 += gap;
      a3 += gap;
    }
    const m0 = v128.load(multipliers, 0);
    const m1 = v128.load(multipliers, 16);
    s00 = f32x4.mul(f32x4.convert_i32x4_s(s00), m0);
    s01 = f32x4.mul(f32x4.convert_i32x4_s(s01), m1);
    s10 = f32x4.mul(f32x4.convert_i32x4_s(s10), m0);
    s11 = f32x4.mul(f32x4.convert_i32x4_s(s11), m1);
    s20 = f32x4.mul(f32x4.convert_i32x4_s(s20), m0);
    s21 = f32x4.mul(f32x4.convert_i32x4_s(s21), m1);
    s30 = f32x4.mul(f32x4.convert_i32x4_s(s30), m0);
    s31 = f32x4.mul(f32x4.convert_i32x4_s(s31), m1);
    const y0: usize = load<u32>(list, 4);
    const y1: usize = load<u32>(list, 12);
    const y2: usize = load<u32>(list, 20);
    const y3: usize = load<u32>(list, 28);
    if (residual != 0) {
      const m = f32x4.splat(residualMultiplier);
      s00 = f32x4.add(s00, dequantised(residual + y0, m));
      s01 = f32x4.add(s01, dequantised(residual + y0 + 8, m));
      s10 = f32x4.add(s10, dequantised(residual + y1, m));
      s11 = f32x4.add(s11, dequantised(residual + y1 + 8, m));
      s20 = f32x4.add(s20, dequantised(residual + y2, m));
      s21 = f32x4.add(s21, dequantised(residual + y2 + 8, m));
      s30 = f32x4.add(s30, dequantised(residual + y3, m));
      s31 = f32x4.add(s31, dequantised(residual + y3 + 8, m));
    }
    if (slopes != 0) {
      const slope0 = v128.load(slopes, 0);
      const slope1 = v128.load(slopes, 16);
      s00 = activate(s00, slope0);
      s01 = activate(s01, slope1);
      s10 = activate(s10, slope0);
      s11 = activate(s11, slope1);
      s20 = activate(s20, slope0);
      s21 = activate(s21, slope1);
      s30 = activate(s30, slope0);
      s31 = activate(s31, slope1);
    }
    const lowest = f32x4.splat(low);
    const highest = f32x4.splat(most);
    const shift = <usize>isFloat;
    put(y + (y0 << shift), s00, s01, lowest, highest, isFloat);
    put(y + (y1 << shift), s10, s11, lowest, highest, isFloat);
    put(y + (y2 << shift), s20, s21, lowest, highest, isFloat);
    put(y + (y3 << shift), s30, s31, lowest, highest, isFloat);
  }
}

/** Adds the two sums in `partial` to those at `sums`. */
// @ts-ignore: decorator
@inline
function split(partial: f64, sums: usize): void {
  // With no bits for less than `upper`, only the upper sum is left, rounded rightly since the lower is less than half.
  const term = upper * 6755399441055744;
  const high = partial + term - term;
  store<f64>(sums, load<f64>(sums, 0) + (partial - high), 0);
  store<f64>(sums, load<f64>(sums, 8) + high * (1 / upper), 8);
}

/**
 * Sets `sums` ([4 pixels][4 outputs]) to `bias` plus the products of pixels packed as [inner][4] at `a` with pairs of
 * weights, [inner][2] at `w`. A double has room for the sums of `chunk` products of either weight of a pair.
 */
function multiplyDoubles(a: usize, inner: i32, w: usize, chunk: i32, bias: usize, sums: usize): void {
  for (let i: usize = 0; i < 128; i += 32) {
    for (let o: usize = 0; o < 4; o++) store<f64>(sums + i + (o << 3), load<i32>(bias + (o << 2)));
  }
  const end = a + (<usize>inner << 5);
  while (a < end) {
    const stop = min(end, a + (<usize>chunk << 5));
    let s00: f64 = 0;
    let s01: f64 = 0;
    let s10: f64 = 0;
    let s11: f64 = 0;
    let s20: f64 = 0;
    let s21: f64 = 0;
    let s30: f64 = 0;
    let s31: f64 = 0;
    do {
      const b0 = load<f64>(w, 0);
      const b1 = load<f64>(w, 8);
      const x0 = load<f64>(a, 0);
      const x1 = load<f64>(a, 8);
      const x2 = load<f64>(a, 16);
      const x3 = load<f64>(a, 24);
      s00 += x0 * b0;
      s01 += x0 * b1;
      s10 += x1 * b0;
      s11 += x1 * b1;
      s20 += x2 * b0;
      s21 += x2 * b1;
      s30 += x3 * b0;
      s31 += x3 * b1;
      a += 32;
      w += 16;
    } while (a != stop);
    split(s00, sums);
    split(s01, sums + 16);
    split(s10, sums + 32);
    split(s11, sums + 48);
    split(s20, sums + 64);
    split(s21, sums + 80);
    split(s30, sums + 96);
    split(s31, sums + 112);
  }
}

/** Four outputs of a pixel from their sums. */
function putScalars(
  sums: usize,
  multipliers: usize,
  slopes: usize,
  residual: usize,
  residualMultiplier: f32,
  low: f32,
  most: f32,
  y: usize,
  isFloat: bool,
): void {
  for (let o: usize = 0; o < 4; o++) {
    let value = <f32>load<f64>(sums + (o << 3)) * load<f32>(multipliers + (o << 2));
    if (residual != 0) value += <f32>load<i16>(residual + (o << 1)) * residualMultiplier;
    if (slopes != 0) value = activateScalar(value, load<f32>(slopes + (o << 2)));
    if (isFloat) store<f32>(y + (o << 2), max(value, low));
    else store<i16>(y + (o << 1), roundedScalar(value, <i32>low, <i32>most));
  }
}

/** Doubles from the windows of the four pixels at `list`: [inner][4]. */
function packDoubles(list: usize, run: usize, pitch: usize, height: i32, to: usize): void {
  for (let row: usize = 0; row < <usize>height * pitch; row += pitch) {
    const a0 = <usize>load<u32>(list, 0) + row;
    const a1 = <usize>load<u32>(list, 8) + row;
    const a2 = <usize>load<u32>(list, 16) + row;
    const a3 = <usize>load<u32>(list, 24) + row;
    for (let i: usize = 0; i < run; i += 2) {
      store<f64>(to, load<i16>(a0 + i), 0);
      store<f64>(to, load<i16>(a1 + i), 8);
      store<f64>(to, load<i16>(a2 + i), 16);
      store<f64>(to, load<i16>(a3 + i), 24);
      to += 32;
    }
  }
}

/** Lists the windows of `pixels` outputs, the last one again up to a multiple of 4: their addresses, and of outputs. */
function listWindows(list: usize, x: usize, step: usize, pitch: usize, yHeight: i32, yWidth: i32, yPixel: usize): usize {
  let place: usize = 0;
  for (let row = 0; row < yHeight; row++) {
    let window = x + <usize>row * pitch;
    for (let column = 0; column < yWidth; column++) {
      store<u32>(list, window, 0);
      store<u32>(list, place, 4);
      window += step;
      place += yPixel;
      list += 8;
    }
  }
  for (let pixels = yHeight * yWidth; (pixels & 3) != 0; pixels++) {
    store<u64>(list, load<u64>(list - 8));
    list += 8;
  }
  return list;
}

/** Copies the part of `x` that windows read, with its border of zeros, rows of `pitch` bytes; answers where it is. */
function copyBordered(x: usize, xHeight: i32, xPitch: usize, top: i32, left: usize, height: i32, pitch: usize, to: usize): usize {
  const end = to + <usize>height * pitch;
  memory.fill(to, 0, end - to);
  if (left >= pitch) return to;
  const bytes = min(xPitch, pitch - left);
  for (let row = 0; row < xHeight && top + row < height; row++) {
    memory.copy(to + <usize>(top + row) * pitch + left, x + <usize>row * xPitch, bytes);
  }
  return to;
}

/**
 * Convolves `x` (xHeight × xWidth × channels, integers of 16 bits, with `top` rows and `left` columns of zeros before it)
 * with a window of `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × yChannels, a multiple of 8).
 * An output is the sum of `bias` (32 bits) and its products, which must fit 32 bits, times its multiplier; plus
 * `residual`, 0 or a map like `y` of integers, times `residualMultiplier`; if negative times its slope, where `slopes` is
 * not 0; within `low` and `most`; and to a map of integers rounded half to even.
 *
 * `filters` holds, for K = height · width · channels, [yChannels / 8][K / 2][8][2] integers of 16 bits. In the build
 * without vectors they are doubles: how many products of a weight fit 26 bits and a sign, then [yChannels / 4][K][2] pairs
 * of weights w0 + w1 · 2²⁷. `scratch` takes 8 bytes for each output pixel, rounded up to fours; 128 + 32 · K bytes in the
 * build without vectors; and where a window reaches over the map, the part of the map that is read.
 */
export function convolveIntegers(
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
  residual: usize,
  residualMultiplier: f32,
  low: f32,
  most: f32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
  yChannels: i32,
  isFloat: bool,
  scratch: usize,
): void {
  const xPixel = <usize>channels << 1;
  const run = <usize>width * xPixel;
  const inner = height * width * channels;
  const packed = scratch + ((<usize>(yHeight * yWidth + 3) & ~3) << 3);
  const copy = SCALAR ? packed + 128 + (<usize>inner << 5) : packed;
  let pitch = <usize>xWidth * xPixel;
  const readHeight = (yHeight - 1) * stride + height;
  const readWidth = (yWidth - 1) * stride + width;
  if (top + left > 0 || readHeight > xHeight || readWidth > xWidth) {
    const copyPitch = <usize>readWidth * xPixel;
    x = copyBordered(x, xHeight, pitch, top, <usize>left * xPixel, readHeight, copyPitch, copy);
    pitch = copyPitch;
  }
  const step = <usize>stride * xPixel;
  const end = listWindows(scratch, x, step, <usize>stride * pitch, yHeight, yWidth, <usize>yChannels << 1);
  if (SCALAR) {
    for (let list = scratch; list < end; list += 32) {
      packDoubles(list, run, pitch, height, packed + 128);
      let w = filters + 8;
      for (let o: usize = 0; o < <usize>yChannels; o += 4) {
        multiplyDoubles(packed + 128, inner, w, <i32>load<f64>(filters), bias + (o << 2), packed);
        for (let i: usize = 0; i < 4; i++) {
          const place = <usize>load<u32>(list + (i << 3), 4) + (o << 1);
          const more = residual == 0 ? residual : residual + place;
          const to = y + (place << <usize>isFloat);
          const slope = slopes == 0 ? slopes : slopes + (o << 2);
          putScalars(packed + (i << 5), multipliers + (o << 2), slope, more, residualMultiplier, low, most, to, isFloat);
        }
        w += <usize>inner << 4;
      }
    }
    return;
  }
  const block = max<usize>((blockBytes / (<usize>inner << 1)) & ~3, 8) << 3;
  for (let first = scratch; first < end; first += block) {
    const stop = min(end, first + block);
    let w = filters;
    for (let o: usize = 0; o < <usize>yChannels; o += 8) {
      const at = o << 2;
      const slope = slopes == 0 ? slopes : slopes + at;
      const more = residual == 0 ? residual : residual + (o << 1);
      const to = y + (o << 1 << <usize>isFloat);
      multiplyPanel(first, stop, run, pitch, height, w, bias + at, multipliers + at, slope, more, residualMultiplier, low, most, to, isFloat);
      w += <usize>inner << 4;
    }
  }
}
