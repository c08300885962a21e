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

/** Four numbers of at most 2²¹ as integers of 32 bits. */
// @ts-ignore: decorator
@inline
function nearestFour(value: v128): v128 {
  const term = f32x4.splat(roundingTerm);
  return i32x4.sub(f32x4.add(value, term), term);
}

/** Eight numbers of at most 32767 as integers of 16 bits. */
// @ts-ignore: decorator
@inline
export function rounded(first: v128, second: v128): v128 {
  return i16x8.narrow_i32x4_s(nearestFour(first), nearestFour(second));
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

/** Four integers of 16 bits as floats. */
// @ts-ignore: decorator
@inline
export function loadFour(address: usize): v128 {
  return f32x4.convert_i32x4_s(v128.load_ext<i16>(address));
}

/** Four integers of 16 bits, times a multiplier. */
// @ts-ignore: decorator
@inline
export function dequantised(address: usize, multiplier: v128): v128 {
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
