// Cosine as specified in docs/internals/core.md, in plain arithmetic; bit-identical to the core.

const f32 = Math.fround;

/** Dot product in the fixed summation order: sixteen lanes, then pairs of pairs. */
function dotReference(a: Float32Array, b: Float32Array): number {
  const lanes = new Float32Array(16);
  for (let i = 0; i < a.length; i++) {
    const lane = i % 16;
    lanes[lane] = f32((lanes[lane] ?? 0) + f32((a[i] ?? 0) * (b[i] ?? 0)));
  }
  const lane = (i: number): number => lanes[i] ?? 0;
  const column = (i: number): number => f32(f32(lane(i) + lane(i + 4)) + f32(lane(i + 8) + lane(i + 12)));
  return f32(f32(column(0) + column(1)) + f32(column(2) + column(3)));
}

const norm = (a: Float32Array): number => Math.sqrt(dotReference(a, a));

export function cosineReference(a: Float32Array, b: Float32Array): number {
  const norms = norm(a) * norm(b);
  if (!(norms > 0 && norms < Number.POSITIVE_INFINITY)) return 0;
  return Math.max(-1, Math.min(1, f32(dotReference(a, b) / norms)));
}

export function normaliseReference(a: Float32Array): Float32Array {
  const divisor = f32(norm(a));
  return a.map((value) => (divisor > 0 && divisor < Number.POSITIVE_INFINITY ? value / divisor : 0));
}
