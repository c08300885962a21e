/**
 * exp(x), with x clamped to ±700; relative error below 1e-8. Uses sums and products only, so results are bit-identical
 * on all platforms: x = n · ln 2 + r, and the series of exp(r) to the eighth power, |r| ≤ ln 2 / 2.
 */
export function exponential(x: f64): f64 {
  const bounded = min(700.0, max(-700.0, x));
  const n = nearest(bounded * 1.4426950408889634);
  const r = bounded - n * 0.6931471805599453;
  let sum = 1 / 40320.0;
  sum = sum * r + 1 / 5040.0;
  sum = sum * r + 1 / 720.0;
  sum = sum * r + 1 / 120.0;
  sum = sum * r + 1 / 24.0;
  sum = sum * r + 1 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  return sum * reinterpret<f64>((<i64>n + 1023) << 52);
}
