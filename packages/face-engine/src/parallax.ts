import { interEyeDistance, type Landmarks, xOf, yOf } from './mesh/landmarks.ts';

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
