export const clamp = (x: number, low: number, high: number): number => Math.max(low, Math.min(high, x));

export const lerp = (a: number, b: number, t: number): number => a + (b - a) * t;

/** Hermite step from 0 at `edge0` to 1 at `edge1`; the edges may be in either order. */
export function smoothstep(edge0: number, edge1: number, x: number): number {
  const t = (x - edge0) / (edge1 - edge0);
  if (t <= 0) return 0;
  if (t >= 1) return 1;
  return t * t * (3 - 2 * t);
}

/** Length of a plane vector: the bits of V8's `Math.hypot`, on every engine and in a fraction of its time. */
export function hypot2(x: number, y: number): number {
  const [ax, ay] = [Math.abs(x), Math.abs(y)];
  const most = Math.max(ax, ay);
  if (most === 0) return 0;
  const [nx, ny] = [ax / most, ay / most];
  return Math.sqrt(nx * nx + ny * ny) * most;
}

/** Length of a vector in space, as {@link hypot2}. */
export function hypot3(x: number, y: number, z: number): number {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const most = Math.max(ax, ay, az);
  if (most === 0) return 0;
  const [nx, ny, nz] = [ax / most, ay / most, az / most];
  const first = nx * nx;
  const second = ny * ny;
  const both = first + second;
  // Kahan's summation: what the first sum lost is taken off the next term.
  return Math.sqrt(both + (nz * nz - (both - first - second))) * most;
}

export const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** Unnormalised Gaussian of a squared, already scaled distance. */
export const bell = (squaredDistance: number): number => Math.exp(-0.5 * squaredDistance);

/** Row-major 3×3 matrix. */
export type Matrix3 = readonly [number, number, number, number, number, number, number, number, number];

export function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  return [
    a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
    a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
    a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
    a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
    a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
    a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
    a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
    a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
    a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
  ];
}

/**
 * Rotation of a head from yaw, pitch and roll in degrees, applied roll first, then pitch, then yaw.
 * Axes: x to the viewer's right (the person's left), y up, z towards the viewer. Positive yaw turns to the person's
 * left, positive pitch looks up, positive roll is clockwise for the viewer.
 */
export function headRotation(yawDeg: number, pitchDeg: number, rollDeg: number): Matrix3 {
  const [cy, sy] = [Math.cos(radians(yawDeg)), Math.sin(radians(yawDeg))];
  const [cp, sp] = [Math.cos(radians(pitchDeg)), Math.sin(radians(pitchDeg))];
  const [cr, sr] = [Math.cos(radians(rollDeg)), Math.sin(radians(rollDeg))];
  const yaw: Matrix3 = [cy, 0, sy, 0, 1, 0, -sy, 0, cy];
  const pitch: Matrix3 = [1, 0, 0, 0, cp, sp, 0, -sp, cp];
  const roll: Matrix3 = [cr, sr, 0, -sr, cr, 0, 0, 0, 1];
  return multiply(yaw, multiply(pitch, roll));
}

/**
 * Box blur of every `step`-th value from `start`, in place, edges repeated.
 *
 * @param line scratch of `count` values at least
 */
export function blurLine(
  values: Float32Array,
  line: Float32Array,
  radius: number,
  start: number,
  step: number,
  count: number,
): void {
  const weight = 1 / (2 * radius + 1);
  for (let i = 0, at = start; i < count; i++, at += step) line[i] = values[at] as number;
  let sum = (line[0] as number) * (radius + 1);
  for (let i = 1; i <= radius; i++) sum += line[Math.min(count - 1, i)] as number;
  for (let i = 0, at = start; i < count; i++, at += step) {
    values[at] = sum * weight;
    const [ahead, behind] = [i + radius + 1, i - radius];
    sum += (line[ahead < count ? ahead : count - 1] as number) - (line[Math.max(0, behind)] as number);
  }
}
