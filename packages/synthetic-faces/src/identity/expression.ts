import {
  canonicalFace,
  canonicalVertexCount,
  innerLips,
  leftLowerLid,
  leftUpperLid,
  rightLowerLid,
  rightUpperLid,
} from '../geometry/canonical.ts';
import { bell, lerp, smoothstep } from '../math.ts';

export interface Expression {
  /** 0 neutral … 1 broad smile. */
  readonly smile?: number;
  /** 0 closed … 1 wide open. */
  readonly mouthOpen?: number;
  /** 0 open eyes … 1 closed. */
  readonly blink?: number;
}

const lowerInner = new Set<number>(innerLips.slice(1, 10));
const upperInner = new Set<number>([...innerLips.slice(11), innerLips[0], innerLips[10]]);

/** A shaped face with an expression put on: Float32Array[468 × 3]; the input is left alone. */
export function express(face: Float32Array, expression: Required<Expression>): Float32Array {
  const { smile, mouthOpen, blink } = expression;
  const out = Float32Array.from(face);
  if (smile === 0 && mouthOpen === 0 && blink === 0) return out;
  const rest = canonicalFace().positions;
  for (let i = 0; i < canonicalVertexCount; i++) {
    const [rx, ry, rz] = [rest[i * 3] as number, rest[i * 3 + 1] as number, rest[i * 3 + 2] as number];
    const side = rx < 0 ? -1 : 1;
    const ax = Math.abs(rx);
    let [x, y, z] = [out[i * 3] as number, out[i * 3 + 1] as number, out[i * 3 + 2] as number];
    const corner = bell(((ax - 2.5) / 1.15) ** 2 + ((ry + 4.3) / 0.95) ** 2);
    x += side * 0.62 * smile * corner;
    y += 0.6 * smile * corner;
    z -= 0.35 * smile * corner;
    const cheek = bell(((ax - 4) / 1.5) ** 2 + ((ry + 0.6) / 1.3) ** 2);
    y += 0.42 * smile * cheek;
    z += 0.32 * smile * cheek;
    const lip = bell((ax / 1.9) ** 2 + ((ry + 4.3) / 0.9) ** 2);
    z -= 0.18 * smile * lip;
    // The jaw drops about its joint; the lower lip goes with it, the upper stays.
    const below = lowerInner.has(i) ? 1 : upperInner.has(i) ? 0 : smoothstep(-4.2, -4.75, ry);
    const drop = below * mouthOpen * smoothstep(-4, 3.2, rz + 0.6) * (ax < 2.4 || ry < -5 ? 1 : 0.55);
    y -= 2 * drop;
    z -= 0.75 * drop * smoothstep(-4, -9, ry);
    x -= side * 0.2 * mouthOpen * corner;
    out[i * 3] = x;
    out[i * 3 + 1] = y;
    out[i * 3 + 2] = z;
  }
  const squeeze = Math.min(1, blink + 0.12 * smile);
  for (const [upper, lower] of [
    [rightUpperLid, rightLowerLid],
    [leftUpperLid, leftLowerLid],
  ] as const) {
    for (let k = 1; k < upper.length - 1; k++) {
      const [u, l] = [upper[k] as number, lower[k] as number];
      const target = lerp(out[l * 3 + 1] as number, out[u * 3 + 1] as number, 0.06);
      out[u * 3 + 1] = lerp(out[u * 3 + 1] as number, target, squeeze);
      out[u * 3 + 2] = (out[u * 3 + 2] as number) + 0.16 * squeeze * Math.sin((Math.PI * k) / (upper.length - 1));
    }
  }
  return out;
}
