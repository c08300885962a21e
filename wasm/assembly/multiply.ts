// The matrix product of Winograd’s convolution: four rows of floats times eight columns of packed weights.
//
// V8 moves the loads of a basic block before its arithmetic. The six loads, eight sums and one product of a step just
// fit fifteen registers; two steps in one block would spill half. A branch therefore separates the two steps of the
// loop: 1.6 times as fast as four steps without one.

// @ts-ignore: decorator
@inline
function accumulate(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** `multiply4x8` as scalars, two columns at a time, which is as much as fits the registers. */
function multiplyScalars(
  a0: usize,
  a1: usize,
  a2: usize,
  a3: usize,
  bytes: usize,
  b: usize,
  c0: usize,
  c1: usize,
  c2: usize,
  c3: usize,
): void {
  for (let column: usize = 0; column < 32; column += 8) {
    let s00: f32 = 0;
    let s01: f32 = 0;
    let s10: f32 = 0;
    let s11: f32 = 0;
    let s20: f32 = 0;
    let s21: f32 = 0;
    let s30: f32 = 0;
    let s31: f32 = 0;
    let w = b + column;
    for (let i: usize = 0; i < bytes; i += 4) {
      const b0 = load<f32>(w, 0);
      const b1 = load<f32>(w, 4);
      const x0 = load<f32>(a0 + i);
      const x1 = load<f32>(a1 + i);
      const x2 = load<f32>(a2 + i);
      const x3 = load<f32>(a3 + i);
      s00 += x0 * b0;
      s01 += x0 * b1;
      s10 += x1 * b0;
      s11 += x1 * b1;
      s20 += x2 * b0;
      s21 += x2 * b1;
      s30 += x3 * b0;
      s31 += x3 * b1;
      w += 32;
    }
    store<f32>(c0 + column, s00, 0);
    store<f32>(c0 + column, s01, 4);
    store<f32>(c1 + column, s10, 0);
    store<f32>(c1 + column, s11, 4);
    store<f32>(c2 + column, s20, 0);
    store<f32>(c2 + column, s21, 4);
    store<f32>(c3 + column, s30, 0);
    store<f32>(c3 + column, s31, 4);
  }
}

/**
 * Sets four rows of eight floats, at `c0` … `c3`, to the products of the rows at `a0` … `a3` (`bytes` each) with `b`,
 * which has eight weights per float.
 */
// @ts-ignore: decorator
@inline
export function multiply4x8(
  a0: usize,
  a1: usize,
  a2: usize,
  a3: usize,
  bytes: usize,
  b: usize,
  c0: usize,
  c1: usize,
  c2: usize,
  c3: usize,
): void {
  if (SCALAR) {
    multiplyScalars(a0, a1, a2, a3, bytes, b, c0, c1, c2, c3);
    return;
  }
  let s00 = f32x4.splat(0);
  let s01 = s00;
  let s10 = s00;
  let s11 = s00;
  let s20 = s00;
  let s21 = s00;
  let s30 = s00;
  let s31 = s00;
  const end = a0 + bytes;
  while (true) {
    const b0 = v128.load(b, 0);
    const b1 = v128.load(b, 16);
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
    // The number of channels is even, so this never exits. The branch makes two basic blocks of the two steps.
    if (a0 == end) break;
    const d0 = v128.load(b, 32);
    const d1 = v128.load(b, 48);
    const y0 = v128.load32_splat(a0, 4);
    const y1 = v128.load32_splat(a1, 4);
    const y2 = v128.load32_splat(a2, 4);
    const y3 = v128.load32_splat(a3, 4);
    s00 = accumulate(s00, y0, d0);
    s01 = accumulate(s01, y0, d1);
    s10 = accumulate(s10, y1, d0);
    s11 = accumulate(s11, y1, d1);
    s20 = accumulate(s20, y2, d0);
    s21 = accumulate(s21, y2, d1);
    s30 = accumulate(s30, y3, d0);
    s31 = accumulate(s31, y3, d1);
    a0 += 8;
    a1 += 8;
    a2 += 8;
    a3 += 8;
    b += 64;
    if (a0 == end) break;
  }
  v128.store(c0, s00, 0);
  v128.store(c0, s01, 16);
  v128.store(c1, s10, 0);
  v128.store(c1, s11, 16);
  v128.store(c2, s20, 0);
  v128.store(c2, s21, 16);
  v128.store(c3, s30, 0);
  v128.store(c3, s31, 16);
}

/** Multiplies negative values by `slope`: 0 gives ReLU, 1 the identity. */
// @ts-ignore: decorator
@inline
export function activate(value: v128, slope: v128): v128 {
  const zero = f32x4.splat(0);
  return f32x4.add(f32x4.pmax(value, zero), f32x4.mul(slope, f32x4.pmin(value, zero)));
}
