import { canonicalBasis } from '../canonical-face.ts';
import type { Pose } from '../types.ts';
import { type Landmarks, xOf, yOf, zOf } from './landmarks.ts';

/** How the canonical face lies in the image. */
export interface CanonicalFit {
  readonly pose: Pose;
  /** Image pixels per canonical centimetre. */
  readonly scale: number;
  /** Weighted root mean square distance left after the fit, canonical centimetres. */
  readonly residual: number;
}

type Vector3 = readonly [number, number, number];

/**
 * Fits the canonical face to landmarks by the similarity of least weighted squares (Horn 1987, unit quaternions) and reads
 * the pose from the rotation.
 */
export function fitCanonicalFace(landmarks: Landmarks): CanonicalFit {
  const points = canonicalBasis.map(([index, x, y, z, weight]) => ({
    weight,
    from: [x, y, z] as Vector3,
    // The canonical frame: y up, z towards the camera.
    to: [xOf(landmarks, index), -yOf(landmarks, index), -zOf(landmarks, index)] as Vector3,
  }));
  const total = points.reduce((sum, p) => sum + p.weight, 0);
  const meanOf = (key: 'from' | 'to', axis: 0 | 1 | 2): number =>
    points.reduce((sum, p) => sum + p.weight * p[key][axis], 0) / total;
  const fromMean: Vector3 = [meanOf('from', 0), meanOf('from', 1), meanOf('from', 2)];
  const toMean: Vector3 = [meanOf('to', 0), meanOf('to', 1), meanOf('to', 2)];

  const s = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  let fromVariance = 0;
  let toVariance = 0;
  for (const { weight, from, to } of points) {
    for (let i = 0; i < 3; i++) {
      const f = (from[i] ?? 0) - (fromMean[i] ?? 0);
      const t = (to[i] ?? 0) - (toMean[i] ?? 0);
      fromVariance += weight * f * f;
      toVariance += weight * t * t;
      for (let j = 0; j < 3; j++) s[3 * i + j] = (s[3 * i + j] ?? 0) + weight * f * ((to[j] ?? 0) - (toMean[j] ?? 0));
    }
  }
  const { rotation, trace } = bestRotation(s);
  const scale = trace / fromVariance;
  const residual = Math.sqrt(Math.max(0, toVariance / (scale * scale) - fromVariance) / total);
  return { pose: poseOf(rotation), scale, residual };
}

/** ISO/IEC 19794-5 angles of a rotation from the canonical frame, composed as yaw · pitch · roll. */
function poseOf(r: readonly number[]): Pose {
  const degrees = 180 / Math.PI;
  const at = (row: number, column: number): number => r[3 * row + column] ?? 0;
  return {
    yawDeg: Math.atan2(at(0, 2), at(2, 2)) * degrees,
    pitchDeg: Math.asin(Math.max(-1, Math.min(1, -at(1, 2)))) * degrees,
    rollDeg: Math.atan2(at(1, 0), at(1, 1)) * degrees,
  };
}

/**
 * Rotation that maximises the trace against a 3×3 covariance `s` (from × to), by the eigenvector of Horn's symmetric 4×4
 * matrix with the largest eigenvalue, which is that trace.
 */
function bestRotation(s: readonly number[]): { rotation: number[]; trace: number } {
  const [xx = 0, xy = 0, xz = 0, yx = 0, yy = 0, yz = 0, zx = 0, zy = 0, zz = 0] = s;
  const { vector, value } = largestEigenpair([
    [xx + yy + zz, yz - zy, zx - xz, xy - yx],
    [yz - zy, xx - yy - zz, xy + yx, zx + xz],
    [zx - xz, xy + yx, yy - xx - zz, yz + zy],
    [xy - yx, zx + xz, yz + zy, zz - xx - yy],
  ]);
  const [w = 1, x = 0, y = 0, z = 0] = vector;
  return {
    trace: value,
    rotation: [
      w * w + x * x - y * y - z * z,
      2 * (x * y - w * z),
      2 * (x * z + w * y),
      2 * (x * y + w * z),
      w * w - x * x + y * y - z * z,
      2 * (y * z - w * x),
      2 * (x * z - w * y),
      2 * (y * z + w * x),
      w * w - x * x - y * y + z * z,
    ],
  };
}

const jacobiSweeps = 12;

/** Cyclic Jacobi on a symmetric matrix; converges quadratically, 4×4 within a handful of sweeps. */
function largestEigenpair(matrix: readonly (readonly number[])[]): { vector: number[]; value: number } {
  const n = matrix.length;
  const a = Float64Array.from(matrix.flat());
  const v = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
  const at = (m: Float64Array, i: number, j: number): number => m[i * n + j] ?? 0;
  for (let sweep = 0; sweep < jacobiSweeps; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const apq = at(a, p, q);
        if (Math.abs(apq) < Number.MIN_VALUE) continue;
        const theta = (at(a, q, q) - at(a, p, p)) / (2 * apq);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < n; k++) rotate(a, k * n + p, k * n + q, c, s);
        for (let k = 0; k < n; k++) rotate(a, p * n + k, q * n + k, c, s);
        for (let k = 0; k < n; k++) rotate(v, k * n + p, k * n + q, c, s);
      }
    }
  }
  let best = 0;
  for (let i = 1; i < n; i++) if (at(a, i, i) > at(a, best, best)) best = i;
  return { value: at(a, best, best), vector: Array.from({ length: n }, (_, k) => at(v, k, best)) };
}

function rotate(m: Float64Array, i: number, j: number, c: number, s: number): void {
  const x = m[i] ?? 0;
  const y = m[j] ?? 0;
  m[i] = c * x - s * y;
  m[j] = s * x + c * y;
}
