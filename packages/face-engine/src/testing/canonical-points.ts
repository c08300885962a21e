import { type Landmarks, landmarkCount } from '../mesh/landmarks.ts';

/** Points of the canonical face for tests, besides the fit's: mouth corners and nose tip. Centimetres. */
export const canonicalExtras: readonly (readonly [index: number, x: number, y: number, z: number])[] = [
  [1, 0, -1.1269, 7.4756],
  [61, -2.4562, -4.3426, 4.2839],
  [291, 2.4562, -4.3426, 4.2839],
];

/**
 * Image landmarks of canonical points after a rotation (row-major 3×3), at 10 pixels per centimetre around (320, 240).
 */
export function projectCanonical(
  points: readonly (readonly [index: number, x: number, y: number, z: number, ...rest: number[]])[],
  r: readonly number[],
): Landmarks {
  const landmarks = new Float32Array(landmarkCount * 3);
  for (const [index, x, y, z] of points) {
    const row = (i: number): number => (r[3 * i] ?? 0) * x + (r[3 * i + 1] ?? 0) * y + (r[3 * i + 2] ?? 0) * z;
    landmarks[3 * index] = 320 + 10 * row(0);
    landmarks[3 * index + 1] = 240 - 10 * row(1);
    landmarks[3 * index + 2] = -10 * row(2);
  }
  return landmarks;
}

/** yaw · pitch · roll of ISO/IEC 19794-5 as a row-major matrix. */
export function rotationOf(yawDeg: number, pitchDeg: number, rollDeg: number): number[] {
  const [y = 0, p = 0, r = 0] = [yawDeg, pitchDeg, rollDeg].map((a) => (a * Math.PI) / 180);
  const yaw = [Math.cos(y), 0, Math.sin(y), 0, 1, 0, -Math.sin(y), 0, Math.cos(y)];
  const pitch = [1, 0, 0, 0, Math.cos(p), -Math.sin(p), 0, Math.sin(p), Math.cos(p)];
  const roll = [Math.cos(r), -Math.sin(r), 0, Math.sin(r), Math.cos(r), 0, 0, 0, 1];
  return multiply(multiply(yaw, pitch), roll);
}

function multiply(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: 9 }, (_, i) => {
    const row = Math.floor(i / 3);
    const column = i % 3;
    return [0, 1, 2].reduce((sum, k) => sum + (a[3 * row + k] ?? 0) * (b[3 * k + column] ?? 0), 0);
  });
}
