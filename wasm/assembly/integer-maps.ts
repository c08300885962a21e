// The layers between convolutions of integers. Maps are integers of 16 bits, rows of pixels, channels innermost and a
// multiple of 8, or 4 after `quantise`. What is written is within `most` (and −`most`, or `low`), rounded half to even.

import { besideHalf, logisticOf } from './maps';
import { activate } from './multiply';
import { loadFour, loadTimes, roundedScalar, storeEight, storeIntegers, storeRounded } from './requantise';

/** The sum of each window, which must fit 32 bits, times `multiplier`; or, where that is 0, its largest integer. */
export function poolIntegers(
  x: usize,
  xWidth: i32,
  channels: i32,
  height: i32,
  width: i32,
  stride: i32,
  multiplier: f32,
  most: f32,
  y: usize,
  yHeight: i32,
  yWidth: i32,
): void {
  const pixel = <usize>channels << 1;
  const isMost = multiplier == 0;
  const gap = <usize>(xWidth - width) * pixel;
  for (let row = 0; row < yHeight; row++) {
    for (let column = 0; column < yWidth; column++) {
      let from = x + <usize>(row * stride * xWidth + column * stride) * pixel;
      const yEnd = y + pixel;
      for (; y < yEnd; y += 16) {
        let first = isMost ? v128.load_ext<i16>(from, 0) : i32x4.splat(0);
        let second = isMost ? v128.load_ext<i16>(from, 8) : i32x4.splat(0);
        let at = from;
        for (let i = height; i > 0; i--) {
          for (const end = at + <usize>width * pixel; at < end; at += pixel) {
            const a = v128.load_ext<i16>(at, 0);
            const b = v128.load_ext<i16>(at, 8);
            first = isMost ? i32x4.max_s(first, a) : i32x4.add(first, a);
            second = isMost ? i32x4.max_s(second, b) : i32x4.add(second, b);
          }
          at += gap;
        }
        if (isMost) {
          storeIntegers(y, first);
          storeIntegers(y + 8, second);
        } else {
          const factor = f32x4.splat(multiplier);
          first = f32x4.mul(f32x4.convert_i32x4_s(first), factor);
          storeEight(y, first, f32x4.mul(f32x4.convert_i32x4_s(second), factor), -most, most);
        }
        from += 16;
      }
    }
  }
}

/** Products of four integers. */
// @ts-ignore: decorator
@inline
function productsOf(a: usize, b: usize): v128 {
  // 30 bits are rounded to f32 either way. Zeros are the second of two products.
  if (SCALAR) return f32x4.mul(loadFour(a), loadFour(b));
  return f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(v128.load_ext<u16>(a), v128.load_ext<u16>(b)));
}

/**
 * y = x · gates · multiplier + residual · residualMultiplier, negative sums times `slopes`: integers and slopes by channel;
 * `residual` and `slopes` are 0 for none. With gates of 1 it adds two maps.
 */
export function scaleIntegers(
  x: usize,
  gates: usize,
  multiplier: f32,
  residual: usize,
  residualMultiplier: f32,
  slopes: usize,
  low: f32,
  most: f32,
  y: usize,
  pixels: i32,
  channels: i32,
): void {
  const factor = f32x4.splat(multiplier);
  // Without a residual x is added, times 0.
  const residualFactor = f32x4.splat(residual == 0 ? 0 : residualMultiplier);
  let r = residual == 0 ? x : residual;
  for (const end = x + (<usize>pixels * <usize>channels << 1); x < end; ) {
    let g = gates;
    let slope = slopes;
    const pixelEnd = x + (<usize>channels << 1);
    do {
      let first = f32x4.add(f32x4.mul(productsOf(x, g), factor), loadTimes(r, residualFactor));
      let second = f32x4.add(f32x4.mul(productsOf(x + 8, g + 8), factor), loadTimes(r + 8, residualFactor));
      if (slope != 0) {
        first = activate(first, v128.load(slope, 0));
        second = activate(second, v128.load(slope, 16));
        slope += 32;
      }
      storeEight(y, first, second, low, most);
      x += 16;
      r += 16;
      g += 16;
      y += 16;
    } while (x < pixelEnd);
  }
}

/** Doubles height and width, as `upsample`; sixteen times the mean is multiplied by `multiplier`. */
export function upsampleIntegers(
  x: usize,
  height: i32,
  width: i32,
  channels: i32,
  multiplier: f32,
  most: f32,
  y: usize,
): void {
  const pixel = <usize>channels << 1;
  const factor = f32x4.splat(multiplier);
  const lowest = f32x4.splat(-most);
  const highest = f32x4.splat(most);
  const three = f32x4.splat(3);
  const nine = f32x4.splat(9);
  for (let row = 0; row < 2 * height; row++) {
    const near = x + <usize>((row >> 1) * width) * pixel;
    const far = x + <usize>(besideHalf(row, height) * width) * pixel;
    for (let column = 0; column < 2 * width; column++) {
      const a = <usize>(column >> 1) * pixel;
      const b = <usize>besideHalf(column, width) * pixel;
      for (let c: usize = 0; c < pixel; c += 8) {
        const corners = f32x4.add(loadTimes(near + a + c, nine), loadFour(far + b + c));
        const sides = f32x4.add(loadTimes(near + b + c, three), loadTimes(far + a + c, three));
        storeRounded(y + c, f32x4.mul(f32x4.add(corners, sides), factor), lowest, highest);
      }
      y += pixel;
    }
  }
}

/**
 * Integers of pixels of three floats: x · scales + offsets. Pixels of `y` have `yChannels`, those after the third zeros;
 * `scales` and `offsets` have four floats, the fourth of them 0. The four bytes before `x` are read; what is not a number
 * becomes `most`, infinities the bounds.
 */
export function quantise(
  x: usize,
  pixels: i32,
  scales: usize,
  offsets: usize,
  most: f32,
  y: usize,
  yChannels: i32,
): void {
  const pixel = <usize>yChannels << 1;
  const lowest = f32x4.splat(-most);
  const highest = f32x4.splat(most);
  memory.fill(y, 0, <usize>pixels * pixel);
  for (let end = x + 12 * <usize>pixels; x < end; x += 12) {
    // Read from the float before on, since memory may end after the last pixel.
    const three = v128.shuffle<i32>(v128.load(x - 4), f32x4.splat(0), 1, 2, 3, 4);
    storeRounded(y, f32x4.add(f32x4.mul(three, v128.load(scales)), v128.load(offsets)), lowest, highest);
    y += pixel;
  }
}

/** The logistic function of floats, times `inverseScale`. */
export function logisticIntegers(x: usize, y: usize, length: i32, inverseScale: f32, most: f32): void {
  for (let i: usize = 0; i < <usize>length << 1; i += 2) {
    const value = logisticOf(load<f32>(x + (i << 1))) * inverseScale;
    store<i16>(y + i, roundedScalar(value, -most, most));
  }
}
