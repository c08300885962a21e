// Convolution of integers of 16 bits. Maps are rows of pixels, channels innermost and a multiple of 4. Nothing is
// packed but a border: every window is read from where it lies, row by row, since a row of a window is contiguous.

import { listBytes, listWindows } from './convolution';
import { multiplyDoubles, multiplyIntegers, multiplySloped, sumIntegers } from './multiply-integers';
import { requantise, storeConstants } from './requantise';

/** Pixels and weights stay in the first-level cache while eight outputs are computed: bytes of pixels at a time. */
const blockBytes: usize = 16384;
const mostPixels: usize = 512;

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

/**
 * Convolves `x` (xHeight × xWidth × channels, integers of 16 bits, with `top` rows and `left` columns of zeros before it)
 * with a window of `height` × `width` at every `stride` pixels, to `y` (yHeight × yWidth × yChannels, a multiple of 8).
 * An output is the sum of `bias` (32 bits) and its products, which must fit 32 bits, times its multiplier; plus
 * `residual`, 0 or a map like `y` of integers, times `residualMultiplier`; if negative times its slope, where `slopes` is
 * not 0; at least `low`; and to a map of integers at most `most`, 0 for floats, and rounded half to even.
 *
 * `filters` holds, for K = height · width · channels, [yChannels / 8][K / 2][8][2] integers of 16 bits. In the build
 * without vectors they are doubles: how many products of a weight fit 26 bits and a sign, then [yChannels / 4][K][2] pairs
 * of weights w0 + w1 · 2²⁷; or 0, then [yChannels / 2][K][2] weights. `scratch` takes 8 bytes for each output pixel,
 * rounded up to fours; 128 and 16,384 bytes, or 32 · K in the build without vectors; and where a window reaches over the
 * map, the part of the map that is read.
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
  most: i32,
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
  const end = scratch + listBytes(yHeight * yWidth);
  const packed = end + 128;
  const copy = packed + (SCALAR ? <usize>inner << 5 : mostPixels << 5);
  const pitch = listWindows(
    x, xHeight, xWidth, xPixel, height, width, stride, top, left, yHeight, yWidth, <usize>yChannels << 1, scratch, copy,
  );
  if (SCALAR) {
    const count = <i32>load<f64>(filters);
    for (let list = scratch; list < end; list += 32) {
      packDoubles(list, run, pitch, height, packed);
      let w = filters + 8;
      for (let o: usize = 0; o < <usize>yChannels << 2; o += 16) {
        const b = bias + o;
        const m = multipliers + o;
        const slope = slopes == 0 ? slopes : slopes + o;
        const to = o >> 1;
        multiplyDoubles(
          list, packed, inner, count, w, b, m, slope, residual, residualMultiplier, low, <f32>most, y, to, isFloat, end,
        );
        w += <usize>inner << (count == 0 ? 5 : 4);
      }
    }
    return;
  }
  storeConstants(end, low, most, residualMultiplier);
  const block = min(max<usize>((blockBytes / (<usize>inner << 1)) & ~3, 8), mostPixels) << 3;
  const one = f32x4.splat(1);
  for (let first = scratch; first < end; first += block) {
    const stop = min(end, first + block);
    let w = filters;
    for (let o: usize = 0; o < <usize>yChannels << 2; o += 32) {
      const b = bias + o;
      const m = multipliers + o;
      const slope = slopes == 0 ? slopes : slopes + o;
      const to = o >> 1;
      // Without slopes what lies at address 0, to no effect.
      const areGentle = v128.and(f32x4.le(v128.load(slope, 0), one), f32x4.le(v128.load(slope, 16), one));
      const isGentle = !isFloat && i32x4.all_true(areGentle);
      if (isFloat || residual != 0 || (slopes != 0 && !isGentle)) {
        sumIntegers(first, stop, run, pitch, height, w, b, packed);
        requantise(first, stop, packed, m, slope, residual, end, y, to, isFloat, isGentle);
      } else if (slopes == 0) {
        multiplyIntegers(first, stop, run, pitch, height, w, b, m, end, y, to);
      } else {
        multiplySloped(first, stop, run, pitch, height, w, b, slope, m, end, y, to);
      }
      w += <usize>inner << 4;
    }
  }
}
