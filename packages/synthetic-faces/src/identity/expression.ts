import { leftLowerLid, leftUpperLid, rightLowerLid, rightUpperLid } from '../geometry/canonical.ts';
import { lerp } from '../math.ts';

export interface Expression {
  /** 0 open eyes … 1 closed. */
  readonly blink?: number;
}

/** A shaped face with an expression put on: Float32Array[468 × 3]; the input is left alone. */
export function express(face: Float32Array, { blink }: Required<Expression>): Float32Array {
  const out = Float32Array.from(face);
  if (blink === 0) return out;
  for (const [upper, lower] of [
    [rightUpperLid, rightLowerLid],
    [leftUpperLid, leftLowerLid],
  ] as const) {
    for (let k = 1; k < upper.length - 1; k++) {
      const [u, l] = [upper[k] as number, lower[k] as number];
      const target = lerp(out[l * 3 + 1] as number, out[u * 3 + 1] as number, 0.06);
      out[u * 3 + 1] = lerp(out[u * 3 + 1] as number, target, blink);
      out[u * 3 + 2] = (out[u * 3 + 2] as number) + 0.16 * blink * Math.sin((Math.PI * k) / (upper.length - 1));
    }
  }
  return out;
}
