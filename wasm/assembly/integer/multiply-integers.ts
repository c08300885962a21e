// The multiplications under convolutions of integers: four pixels with eight outputs, or without vectors with four.

import { activate } from '../multiply';
import { dequantised, rounded, roundedScalar } from './requantise';

/**
 * Computes eight outputs of the pixels listed from `list` to `end`, four at a time. An entry is the address of the
 * pixel's window, whose `height` rows of `run` bytes are `pitch` bytes apart, and where in `y` and `residual` its
 * outputs are, `offset` added. Slopes are gentle if none is above 1.
 */
export function multiplyIntegers(
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
  most: i32,
  y: usize,
  offset: usize,
  isFloat: bool,
  isGentle: bool,
): void {
  const gap = pitch - run;
  for (; list < end; list += 32) {
    let a0: usize = load<u32>(list, 0);
    let a1: usize = load<u32>(list, 8);
    let a2: usize = load<u32>(list, 16);
    let a3: usize = load<u32>(list, 24);
    let s00 = v128.load(bias, 0);
    let s01 = v128.load(bias, 16);
    let s10 = v128.load(bias, 0);
    let s11 = v128.load(bias, 16);
    let s20 = v128.load(bias, 0);
    let s21 = v128.load(bias, 16);
    let s30 = v128.load(bias, 0);
    let s31 = v128.load(bias, 16);
    let w = filters;
    for (let row = height; row > 0; row--) {
      const stop = a0 + run;
      while (true) {
        const b00 = v128.load(w, 0);
        const b01 = v128.load(w, 16);
        const x00 = v128.load32_splat(a0, 0);
        const x01 = v128.load32_splat(a1, 0);
        const x02 = v128.load32_splat(a2, 0);
        const x03 = v128.load32_splat(a3, 0);
        s00 = i32x4.add(s00, i32x4.dot_i16x8_s(x00, b00));
        s01 = i32x4.add(s01, i32x4.dot_i16x8_s(x00, b01));
        s10 = i32x4.add(s10, i32x4.dot_i16x8_s(x01, b00));
        s11 = i32x4.add(s11, i32x4.dot_i16x8_s(x01, b01));
        s20 = i32x4.add(s20, i32x4.dot_i16x8_s(x02, b00));
        s21 = i32x4.add(s21, i32x4.dot_i16x8_s(x02, b01));
        s30 = i32x4.add(s30, i32x4.dot_i16x8_s(x03, b00));
        s31 = i32x4.add(s31, i32x4.dot_i16x8_s(x03, b01));
        // Never so, since the number of steps is even. The branch makes two basic blocks of the two steps.
        if (a0 == stop) break;
        const b10 = v128.load(w, 32);
        const b11 = v128.load(w, 48);
        const x10 = v128.load32_splat(a0, 4);
        const x11 = v128.load32_splat(a1, 4);
        const x12 = v128.load32_splat(a2, 4);
        const x13 = v128.load32_splat(a3, 4);
        s00 = i32x4.add(s00, i32x4.dot_i16x8_s(x10, b10));
        s01 = i32x4.add(s01, i32x4.dot_i16x8_s(x10, b11));
        s10 = i32x4.add(s10, i32x4.dot_i16x8_s(x11, b10));
        s11 = i32x4.add(s11, i32x4.dot_i16x8_s(x11, b11));
        s20 = i32x4.add(s20, i32x4.dot_i16x8_s(x12, b10));
        s21 = i32x4.add(s21, i32x4.dot_i16x8_s(x12, b11));
        s30 = i32x4.add(s30, i32x4.dot_i16x8_s(x13, b10));
        s31 = i32x4.add(s31, i32x4.dot_i16x8_s(x13, b11));
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
    const at0 = <usize>load<u32>(list, 4) + offset;
    const at1 = <usize>load<u32>(list, 12) + offset;
    const at2 = <usize>load<u32>(list, 20) + offset;
    const at3 = <usize>load<u32>(list, 28) + offset;
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
    if (residual != 0) {
      const m = f32x4.splat(residualMultiplier);
      s00 = f32x4.add(s00, dequantised(residual + at0 + 0, m));
      s01 = f32x4.add(s01, dequantised(residual + at0 + 8, m));
      s10 = f32x4.add(s10, dequantised(residual + at1 + 0, m));
      s11 = f32x4.add(s11, dequantised(residual + at1 + 8, m));
      s20 = f32x4.add(s20, dequantised(residual + at2 + 0, m));
      s21 = f32x4.add(s21, dequantised(residual + at2 + 8, m));
      s30 = f32x4.add(s30, dequantised(residual + at3 + 0, m));
      s31 = f32x4.add(s31, dequantised(residual + at3 + 8, m));
    }
    if (slopes != 0) {
      const slope0 = v128.load(slopes, 0);
      const slope1 = v128.load(slopes, 16);
      if (isGentle) {
        s00 = f32x4.pmax(s00, f32x4.mul(s00, slope0));
        s01 = f32x4.pmax(s01, f32x4.mul(s01, slope1));
        s10 = f32x4.pmax(s10, f32x4.mul(s10, slope0));
        s11 = f32x4.pmax(s11, f32x4.mul(s11, slope1));
        s20 = f32x4.pmax(s20, f32x4.mul(s20, slope0));
        s21 = f32x4.pmax(s21, f32x4.mul(s21, slope1));
        s30 = f32x4.pmax(s30, f32x4.mul(s30, slope0));
        s31 = f32x4.pmax(s31, f32x4.mul(s31, slope1));
      } else {
        s00 = activate(s00, slope0);
        s01 = activate(s01, slope1);
        s10 = activate(s10, slope0);
        s11 = activate(s11, slope1);
        s20 = activate(s20, slope0);
        s21 = activate(s21, slope1);
        s30 = activate(s30, slope0);
        s31 = activate(s31, slope1);
      }
    }
    const lowest = f32x4.splat(low);
    s00 = f32x4.pmax(lowest, s00);
    s01 = f32x4.pmax(lowest, s01);
    s10 = f32x4.pmax(lowest, s10);
    s11 = f32x4.pmax(lowest, s11);
    s20 = f32x4.pmax(lowest, s20);
    s21 = f32x4.pmax(lowest, s21);
    s30 = f32x4.pmax(lowest, s30);
    s31 = f32x4.pmax(lowest, s31);
    if (isFloat) {
      v128.store(y + (at0 << 1), s00, 0);
      v128.store(y + (at0 << 1), s01, 16);
      v128.store(y + (at1 << 1), s10, 0);
      v128.store(y + (at1 << 1), s11, 16);
      v128.store(y + (at2 << 1), s20, 0);
      v128.store(y + (at2 << 1), s21, 16);
      v128.store(y + (at3 << 1), s30, 0);
      v128.store(y + (at3 << 1), s31, 16);
    } else {
      const highest = i16x8.splat(<i16>most);
      v128.store(y + at0, i16x8.min_s(highest, rounded(s00, s01)));
      v128.store(y + at1, i16x8.min_s(highest, rounded(s10, s11)));
      v128.store(y + at2, i16x8.min_s(highest, rounded(s20, s21)));
      v128.store(y + at3, i16x8.min_s(highest, rounded(s30, s31)));
    }
  }
}

/** The factor of a number: 1, or `slope` if it is negative. No branch, since nobody can predict a sign. */
// @ts-ignore: decorator
@inline
function factorOf(value: f32, slope: f32): f32 {
  const one = reinterpret<i32>(<f32>1);
  return reinterpret<f32>(one ^ ((one ^ reinterpret<i32>(slope)) & (reinterpret<i32>(value) >> 31)));
}

/** In units of this is the second of two weights in a double, and their sums. */
const upper: f64 = 134217728;

/** Adds the two sums in `partial` to those at `sums`. */
// @ts-ignore: decorator
@inline
function split(partial: f64, sums: usize): void {
  // Next to this term there are no bits for the lower sum, which is less than half of `upper`.
  const term = upper * 6755399441055744;
  const high = partial + term - term;
  store<f64>(sums, load<f64>(sums, 0) + (partial - high), 0);
  store<f64>(sums, load<f64>(sums, 8) + high * (1 / upper), 8);
}

/**
 * Computes four outputs of the four pixels at `list`, from windows packed as [inner][4] at `windows` with pairs of
 * weights, [inner][2] at `filters`. A double has room for the sums of `count` products. `sums` is work space.
 */
export function multiplyDoubles(
  list: usize,
  windows: usize,
  inner: i32,
  count: i32,
  filters: usize,
  bias: usize,
  multipliers: usize,
  slopes: usize,
  residual: usize,
  residualMultiplier: f32,
  low: f32,
  lowest: i32,
  most: i32,
  y: usize,
  offset: usize,
  isFloat: bool,
  sums: usize,
): void {
  store<f64>(sums, 0, 0);
  store<f64>(sums, 0, 8);
  store<f64>(sums, 0, 16);
  store<f64>(sums, 0, 24);
  store<f64>(sums, 0, 32);
  store<f64>(sums, 0, 40);
  store<f64>(sums, 0, 48);
  store<f64>(sums, 0, 56);
  store<f64>(sums, 0, 64);
  store<f64>(sums, 0, 72);
  store<f64>(sums, 0, 80);
  store<f64>(sums, 0, 88);
  store<f64>(sums, 0, 96);
  store<f64>(sums, 0, 104);
  store<f64>(sums, 0, 112);
  store<f64>(sums, 0, 120);
  let p = windows;
  let q = filters;
  const end = p + (<usize>inner << 5);
  while (p < end) {
    const stop = min(end, p + (<usize>count << 5));
    let ts00: f64 = 0;
    let ts01: f64 = 0;
    let ts10: f64 = 0;
    let ts11: f64 = 0;
    let ts20: f64 = 0;
    let ts21: f64 = 0;
    let ts30: f64 = 0;
    let ts31: f64 = 0;
    do {
      const q0 = load<f64>(q, 0);
      const q1 = load<f64>(q, 8);
      const p0 = load<f64>(p, 0);
      const p1 = load<f64>(p, 8);
      const p2 = load<f64>(p, 16);
      const p3 = load<f64>(p, 24);
      ts00 += p0 * q0;
      ts01 += p0 * q1;
      ts10 += p1 * q0;
      ts11 += p1 * q1;
      ts20 += p2 * q0;
      ts21 += p2 * q1;
      ts30 += p3 * q0;
      ts31 += p3 * q1;
      p += 32;
      q += 16;
    } while (p != stop);
    split(ts00, sums + 0);
    split(ts01, sums + 16);
    split(ts10, sums + 32);
    split(ts11, sums + 48);
    split(ts20, sums + 64);
    split(ts21, sums + 80);
    split(ts30, sums + 96);
    split(ts31, sums + 112);
  }
  const at0 = <usize>load<u32>(list, 4) + offset;
  const at1 = <usize>load<u32>(list, 12) + offset;
  const at2 = <usize>load<u32>(list, 20) + offset;
  const at3 = <usize>load<u32>(list, 28) + offset;
  for (let o: usize = 0; o < 16; o += 4) {
    const b: f64 = load<i32>(bias + o);
    const m = load<f32>(multipliers + o);
    let v0 = <f32>(load<f64>(sums + (o << 1), 0) + b) * m;
    let v1 = <f32>(load<f64>(sums + (o << 1), 32) + b) * m;
    let v2 = <f32>(load<f64>(sums + (o << 1), 64) + b) * m;
    let v3 = <f32>(load<f64>(sums + (o << 1), 96) + b) * m;
    if (residual != 0) {
      const from = residual + (o >> 1);
      v0 += <f32>load<i16>(from + at0) * residualMultiplier;
      v1 += <f32>load<i16>(from + at1) * residualMultiplier;
      v2 += <f32>load<i16>(from + at2) * residualMultiplier;
      v3 += <f32>load<i16>(from + at3) * residualMultiplier;
    }
    if (slopes != 0) {
      const slope = load<f32>(slopes + o);
      v0 = v0 * factorOf(v0, slope) + 0;
      v1 = v1 * factorOf(v1, slope) + 0;
      v2 = v2 * factorOf(v2, slope) + 0;
      v3 = v3 * factorOf(v3, slope) + 0;
    }
    if (isFloat) {
      store<f32>(y + (at0 << 1) + o, max(v0, low));
      store<f32>(y + (at1 << 1) + o, max(v1, low));
      store<f32>(y + (at2 << 1) + o, max(v2, low));
      store<f32>(y + (at3 << 1) + o, max(v3, low));
    } else {
      const to = y + (o >> 1);
      store<i16>(to + at0, roundedScalar(v0, lowest, most));
      store<i16>(to + at1, roundedScalar(v1, lowest, most));
      store<i16>(to + at2, roundedScalar(v2, lowest, most));
      store<i16>(to + at3, roundedScalar(v3, lowest, most));
    }
  }
}
