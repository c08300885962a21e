import type { Pose } from '../types.ts';
import { interEyeDistance, type Landmarks, xOf, yOf, zOf } from './landmarks.ts';

/**
 * The 33 landmarks that are fitted to MediaPipe's canonical face, each `[mesh index, x, y, z, weight]`.
 *
 * Centimetres; x to the person's left, y up, z out of the face. The weights favour points that neither expression nor
 * age moves: nose bridge and wings, eye corners, jaw. From `geometry_pipeline_metadata_landmarks.binarypb` in
 * `@mediapipe/face_mesh` (Apache-2.0).
 */
export const canonicalBasis: readonly (readonly [index: number, x: number, y: number, z: number, weight: number])[] = [
  [4, 0.0, -0.4632, 7.5866, 0.07091],
  [6, 0.0, 2.4733, 5.7886, 0.0321],
  [10, 0.0, 8.2618, 4.4815, 0.00845],
  [33, -4.4459, 2.664, 3.1734, 0.05872],
  [54, -6.2793, 6.6154, 1.4259, 0.00767],
  [67, -3.524, 8.006, 3.7292, 0.00908],
  [117, -5.2587, 0.9458, 2.9743, 0.00979],
  [119, -3.3007, 0.8616, 3.8728, 0.01457],
  [121, -1.8207, 1.468, 4.2241, 0.01859],
  [127, -7.7431, 2.365, -2.0052, 0.0052],
  [129, -1.7858, -0.9783, 4.8505, 0.12063],
  [132, -7.2709, -2.8909, -2.2525, 0.00556],
  [133, -1.8564, 2.5852, 3.7579, 0.05329],
  [136, -5.0853, -7.1786, 0.7147, 0.06689],
  [143, -6.4076, 2.236, 1.5608, 0.01482],
  [147, -6.2349, -1.9444, 1.6635, 0.01426],
  [198, -1.2468, 0.2303, 5.681, 0.02546],
  [205, -3.8329, -1.5373, 4.1377, 0.04725],
  [263, 4.4459, 2.664, 3.1734, 0.05872],
  [284, 6.2793, 6.6154, 1.4259, 0.00767],
  [297, 3.524, 8.006, 3.7292, 0.00908],
  [346, 5.2587, 0.9458, 2.9743, 0.00979],
  [348, 3.3007, 0.8616, 3.8728, 0.01457],
  [350, 1.8207, 1.468, 4.2241, 0.01859],
  [356, 7.7431, 2.365, -2.0052, 0.0052],
  [358, 1.7858, -0.9783, 4.8505, 0.12063],
  [361, 7.2709, -2.8909, -2.2525, 0.00556],
  [362, 1.8564, 2.5852, 3.7579, 0.05329],
  [365, 5.0853, -7.1786, 0.7147, 0.06689],
  [372, 6.4076, 2.236, 1.5608, 0.01482],
  [376, 6.2349, -1.9444, 1.6635, 0.01426],
  [420, 1.2468, 0.2303, 5.681, 0.02546],
  [425, 3.8329, -1.5373, 4.1377, 0.04725],
];

/** Position of the canonical face in the image. */
export interface CanonicalFit {
  readonly pose: Pose;
  /** Image pixels per canonical centimetre. */
  readonly scale: number;
  /** Weighted root mean square distance after the fit, canonical centimetres. */
  readonly residual: number;
}

type Vector3 = readonly [number, number, number];

/**
 * Fits the canonical face to landmarks by a similarity with least weighted squares (Horn 1987, unit quaternions); the
 * pose follows from its rotation.
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
 * Rotation that maximises the trace against a 3×3 covariance `s` (from × to), by the eigenvector of Horn's symmetric
 * 4×4 matrix with the largest eigenvalue, which is that trace.
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

/** Cyclic Jacobi on a symmetric matrix; quadratic convergence, a few sweeps for 4×4. */
function largestEigenpair(matrix: readonly (readonly number[])[]): { vector: number[]; value: number } {
  const n = matrix.length;
  const a = Float64Array.from(matrix.flat());
  const v = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
  const at = (m: Float64Array, i: number, j: number): number => m[i * n + j] ?? 0;
  for (let sweep = 0; sweep < jacobiSweeps; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const apq = at(a, p, q);
        // Too small to change what it is added to.
        if (Math.abs(apq) <= 1e-20 * (Math.abs(at(a, p, p)) + Math.abs(at(a, q, q)))) continue;
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

/**
 * Outer eye corners and mouth corners of the canonical face as seen by the camera: x to the image's right, y down;
 * centimetres.
 */
const anchors: readonly (readonly [index: number, x: number, y: number])[] = [
  [33, -4.4459, -2.664],
  [263, 4.4459, -2.664],
  [61, -2.4562, 4.3426],
  [291, 2.4562, 4.3426],
];
const noseTip = { index: 1, x: 0, y: 1.1269 } as const;

/**
 * Parallax of the nose tip: its sideways distance from the plane of eye and mouth corners, over the inter-eye distance.
 * The plane is the least-squares affine map from the canonical four corners to the landmarks.
 *
 * Turning or tilting a flat picture is an affine map, so a print stays near 0 where a turned head gives 0.2. Only the
 * component along the eye line counts: the other follows pitch, and a print may show a raised head.
 */
export function parallaxOf(landmarks: Landmarks): number {
  // The four are symmetric in x, so the normal equations separate: x alone, and y with the constant.
  let sumXX = 0;
  let sumY = 0;
  let sumYY = 0;
  const px = { x: 0, y: 0, one: 0 };
  const py = { x: 0, y: 0, one: 0 };
  for (const [index, x, y] of anchors) {
    const u = xOf(landmarks, index);
    const v = yOf(landmarks, index);
    sumXX += x * x;
    sumY += y;
    sumYY += y * y;
    px.x += x * u;
    px.y += y * u;
    px.one += u;
    py.x += x * v;
    py.y += y * v;
    py.one += v;
  }
  const n = anchors.length;
  const determinant = n * sumYY - sumY * sumY;
  const predict = (p: { x: number; y: number; one: number }): number => {
    const slopeY = (n * p.y - sumY * p.one) / determinant;
    const constant = (sumYY * p.one - sumY * p.y) / determinant;
    return (p.x / sumXX) * noseTip.x + slopeY * noseTip.y + constant;
  };
  const dx = xOf(landmarks, noseTip.index) - predict(px);
  const dy = yOf(landmarks, noseTip.index) - predict(py);
  const eyeX = xOf(landmarks, 263) - xOf(landmarks, 33);
  const eyeY = yOf(landmarks, 263) - yOf(landmarks, 33);
  return Math.abs(dx * eyeX + dy * eyeY) / (Math.hypot(eyeX, eyeY) * interEyeDistance(landmarks));
}
