// Dot products in the fixed summation order of docs/internals/core.md: element i is added to lane i mod 16 (four f32x4
// accumulators), the accumulators as (0 + 1) + (2 + 3), the lanes as (0 + 1) + (2 + 3). Lengths are multiples of 16;
// the caller pads with zeros, which does not change the result.

// @ts-ignore: decorator
@inline
function reduce(a0: v128, a1: v128, a2: v128, a3: v128): f32 {
  const sum = f32x4.add(f32x4.add(a0, a1), f32x4.add(a2, a3));
  return (
    f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
  );
}

/** Dot product of two f32 vectors of `length` elements (a multiple of 16), 16-byte aligned. */
export function dot(a: usize, b: usize, length: i32): f32 {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  const end = a + (<usize>length << 2);
  while (a < end) {
    a0 = f32x4.add(a0, f32x4.mul(v128.load(a, 0), v128.load(b, 0)));
    a1 = f32x4.add(a1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
    a2 = f32x4.add(a2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)));
    a3 = f32x4.add(a3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)));
    a += 64;
    b += 64;
  }
  return reduce(a0, a1, a2, a3);
}

/** L2 norm of a padded f32 vector: the sum of squares in f32 in the fixed order, its square root in f64. */
export function norm(a: usize, length: i32): f64 {
  return Math.sqrt(<f64>dot(a, a, length));
}

/** Cosine of two padded vectors, in [-1, 1]; 0 if a norm is zero or not finite. */
export function cosine(a: usize, b: usize, length: i32): f32 {
  const norms = norm(a, length) * norm(b, length);
  // Also false for NaN.
  if (!(norms > 0 && norms < Infinity)) return 0;
  return max<f32>(-1, min<f32>(1, <f32>(<f64>dot(a, b, length) / norms)));
}

/**
 * Scales a padded vector to unit L2 norm in place. Status 0; 1 if its norm is 0 or not finite, and the vector is
 * zeroed.
 */
export function normalise(a: usize, length: i32): i32 {
  const n = <f32>norm(a, length);
  const usable = n > 0 && n < Infinity;
  const divisor = f32x4.splat(n);
  const end = a + (<usize>length << 2);
  for (; a < end; a += 16) {
    v128.store(a, usable ? f32x4.div(v128.load(a), divisor) : f32x4.splat(0));
  }
  return usable ? 0 : 1;
}
