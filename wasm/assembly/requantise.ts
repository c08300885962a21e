// From sums to the integers of a map: a multiplier, what is added, slopes, bounds, rounding half to even.

import { activate } from './multiply';

/** 1.5 · 2²³: added to a number of less than 2²², it leaves no bits for fractions. */
const roundingTerm: f32 = 12582912;

/** Within bounds; `low` for a zero of either sign that equals it, `most` for what is not a number. */
// @ts-ignore: decorator
@inline
export function bounded(value: v128, low: v128, most: v128): v128 {
  return f32x4.pmax(low, f32x4.pmin(most, value));
}

/** Four numbers of at most 2²² as integers of 32 bits. */
// @ts-ignore: decorator
@inline
function nearestFour(value: v128): v128 {
  const term = f32x4.splat(roundingTerm);
  return i32x4.sub(f32x4.add(value, term), term);
}

/** Stores what `rounded` and `requantise` take; loaded, since V8 computes other constants again in each turn of a loop. */
export function storeConstants(constants: usize, low: f32, most: i32, residualMultiplier: f32): void {
  v128.store(constants, f32x4.splat(roundingTerm), 0);
  v128.store(constants, f32x4.splat(low + roundingTerm), 16);
  v128.store(constants, i16x8.splat(<i16>most), 32);
  v128.store(constants, f32x4.splat(low), 48);
  v128.store(constants, f32x4.splat(residualMultiplier), 64);
}

/** Eight numbers as integers of 16 bits within bounds, with the constants of `storeConstants`. */
// @ts-ignore: decorator
@inline
export function rounded(first: v128, second: v128, term: v128, lowest: v128, highest: v128): v128 {
  // Sums with the term rise like the integers of the same bits.
  const a = i32x4.sub(i32x4.max_s(lowest, f32x4.add(first, term)), term);
  const b = i32x4.sub(i32x4.max_s(lowest, f32x4.add(second, term)), term);
  return i16x8.min_s(highest, i16x8.narrow_i32x4_s(a, b));
}

/**
 * Eight outputs of each pixel listed from `list` to `end` from their sums, [pixels][8] integers of 32 bits: as
 * `convolveIntegers` says. An entry tells where in `y` and `residual` its outputs are, `offset` added. Slopes are gentle
 * if none is above 1.
 */
export function requantise(
  list: usize,
  end: usize,
  sums: usize,
  multipliers: usize,
  slopes: usize,
  residual: usize,
  constants: usize,
  y: usize,
  offset: usize,
  isFloat: bool,
  isGentle: bool,
): void {
  const m0 = v128.load(multipliers, 0);
  const m1 = v128.load(multipliers, 16);
  const slope0 = v128.load(slopes, 0);
  const slope1 = v128.load(slopes, 16);
  const term = v128.load(constants, 0);
  const lowest = v128.load(constants, 16);
  const highest = v128.load(constants, 32);
  const low = v128.load(constants, 48);
  const added = v128.load(constants, 64);
  for (; list < end; list += 8) {
    const at = <usize>load<u32>(list, 4) + offset;
    let v0 = f32x4.mul(f32x4.convert_i32x4_s(v128.load(sums, 0)), m0);
    let v1 = f32x4.mul(f32x4.convert_i32x4_s(v128.load(sums, 16)), m1);
    sums += 32;
    if (residual != 0) {
      v0 = f32x4.add(v0, loadTimes(residual + at, added));
      v1 = f32x4.add(v1, loadTimes(residual + at + 8, added));
    }
    if (slopes != 0) {
      v0 = isGentle ? f32x4.pmax(v0, f32x4.mul(v0, slope0)) : activate(v0, slope0);
      v1 = isGentle ? f32x4.pmax(v1, f32x4.mul(v1, slope1)) : activate(v1, slope1);
    }
    if (isFloat) {
      v128.store(y + (at << 1), f32x4.pmax(low, v0), 0);
      v128.store(y + (at << 1), f32x4.pmax(low, v1), 16);
    } else {
      v128.store(y + at, rounded(v0, v1, term, lowest, highest));
    }
  }
}

/** Stores four integers of 32 bits as integers of 16 bits. */
// @ts-ignore: decorator
@inline
export function storeIntegers(y: usize, four: v128): void {
  if (SCALAR) {
    store<i16>(y, i32x4.extract_lane(four, 0), 0);
    store<i16>(y, i32x4.extract_lane(four, 1), 2);
    store<i16>(y, i32x4.extract_lane(four, 2), 4);
    store<i16>(y, i32x4.extract_lane(four, 3), 6);
  } else {
    v128.store64_lane(y, i16x8.narrow_i32x4_s(four, four), 0);
  }
}

/** Stores four numbers, within bounds, as integers of 16 bits. */
// @ts-ignore: decorator
@inline
export function storeRounded(y: usize, four: v128, low: v128, most: v128): void {
  storeIntegers(y, nearestFour(bounded(four, low, most)));
}

/** Stores eight numbers, within bounds, as integers of 16 bits. */
// @ts-ignore: decorator
@inline
export function storeEight(y: usize, first: v128, second: v128, low: f32, most: f32): void {
  if (SCALAR) {
    storeRounded(y, first, f32x4.splat(low), f32x4.splat(most));
    storeRounded(y + 8, second, f32x4.splat(low), f32x4.splat(most));
  } else {
    const lowest = f32x4.splat(low + roundingTerm);
    v128.store(y, rounded(first, second, f32x4.splat(roundingTerm), lowest, i16x8.splat(<i16>most)));
  }
}

/** Four integers of 16 bits as floats. */
// @ts-ignore: decorator
@inline
export function loadFour(address: usize): v128 {
  return f32x4.convert_i32x4_s(v128.load_ext<i16>(address));
}

/** Four integers of 16 bits, times a multiplier. */
// @ts-ignore: decorator
@inline
export function loadTimes(address: usize, multiplier: v128): v128 {
  return f32x4.mul(loadFour(address), multiplier);
}

/** `bounded` and `rounded` of one number, in the lower 16 bits; engines make a branch of a choice between floats. */
// @ts-ignore: decorator
@inline
export function roundedScalar(value: f32, low: f32, most: f32): i32 {
  // The sum's bits rise with the value, so they can be bounded as integers.
  const lowest = reinterpret<i32>(low + roundingTerm);
  const highest = reinterpret<i32>(most + roundingTerm);
  return min(max(reinterpret<i32>(value + roundingTerm), lowest), highest);
}
