/** Multiplies negative values by `slope`: 0 gives ReLU, 1 the identity. */
// @ts-ignore: decorator
@inline
export function activate(value: v128, slope: v128): v128 {
  const zero = f32x4.splat(0);
  return f32x4.add(f32x4.pmax(value, zero), f32x4.mul(slope, f32x4.pmin(value, zero)));
}
