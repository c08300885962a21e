// The layers between convolutions of integers. Maps are integers of 16 bits, rows of pixels, channels innermost and a
// multiple of 4. What is written is within `most` (and −`most`, or `low`), rounded half to even.

import { besideHalf, logisticOf } from './maps';
import { activate } from './multiply';
import { dequantised, loadFour, roundedScalar, storeIntegers, storeRounded } from './requantise';

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
  const factor = f32x4.splat(multiplier);
  const lowest = f32x4.splat(-most);
  const highest = f32x4.splat(most);
  const isMost = multiplier == 0;
  for (let row = 0; row < yHeight; row++) {
    for (let column = 0; column < yWidth; column++) {
      const from = x + <usize>(row * stride * xWidth + column * stride) * pixel;
      for (let c: usize = 0; c < pixel; c += 8) {
        let pooled = isMost ? v128.load_ext<i16>(from + c) : i32x4.splat(0);
        for (let i = 0; i < height; i++) {
          for (let j = 0; j < width; j++) {
            const four = v128.load_ext<i16>(from + c + <usize>(i * xWidth + j) * pixel);
            pooled = isMost ? i32x4.max_s(pooled, four) : i32x4.add(pooled, four);
          }
        }
        if (isMost) storeIntegers(y + c, pooled);
        else storeRounded(y + c, f32x4.mul(f32x4.convert_i32x4_s(pooled), factor), lowest, highest);
      }
      y += pixel;
    }
  }
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
  const pixel = <usize>channels << 1;
  const factor = f32x4.splat(multiplier);
  const residualFactor = f32x4.splat(residualMultiplier);
  const lowest = f32x4.splat(low);
  const highest = f32x4.splat(most);
  for (let i = 0; i < pixels; i++) {
    for (let c: usize = 0; c < pixel; c += 8) {
      // A product of 30 bits is rounded to f32 as if it were converted.
      let value = f32x4.mul(f32x4.mul(loadFour(x + c), loadFour(gates + c)), factor);
      if (residual != 0) value = f32x4.add(value, dequantised(residual + c, residualFactor));
      if (slopes != 0) value = activate(value, v128.load(slopes + (c << 1)));
      storeRounded(y + c, value, lowest, highest);
    }
    x += pixel;
    y += pixel;
    if (residual != 0) residual += pixel;
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
        const corners = f32x4.add(dequantised(near + a + c, nine), loadFour(far + b + c));
        const sides = f32x4.add(dequantised(near + b + c, three), dequantised(far + a + c, three));
        storeRounded(y + c, f32x4.mul(f32x4.add(corners, sides), factor), lowest, highest);
      }
      y += pixel;
    }
  }
}

/**
 * Integers of pixels of three floats: x · scales + offsets. Pixels of `y` have `yChannels`, those after the third zeros;
 * `scales` and `offsets` have four floats, the fourth of them 0.
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
