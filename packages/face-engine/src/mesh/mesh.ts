import type { AffineTransform, CoreImage } from '@svc/core';
import type { ModelSession } from '../session.ts';
import type { Detection, Point } from '../types.ts';
import { type Landmarks, landmarkCount, xOf, yOf } from './landmarks.ts';

/** Side of the mesh model's input, pixels. */
const meshSize = 192;

export interface MeshResult {
  /** Owned and wiped by the caller. */
  readonly landmarks: Landmarks;
  /** Face probability, 0 to 1. */
  readonly faceFlag: number;
}

/** MediaPipe's face mesh without attention (Kartynnik et al. 2019). */
export class FaceMesh {
  readonly #session: ModelSession;

  constructor(session: ModelSession) {
    this.#session = session;
  }

  run(image: CoreImage, roi: Roi): Promise<MeshResult> {
    const t = roiTransform(roi, meshSize);
    const scaleZ = roi.side / meshSize;
    return this.#session.infer(
      (input) => image.warpToFloat(t, meshSize, meshSize, { scale: 1 / 255, out: input }),
      (model) => {
        const first = model.output(0);
        const second = model.output(1);
        const [raw, flag] = first.length > second.length ? [first, second] : [second, first];
        const landmarks = new Float32Array(landmarkCount * 3);
        for (let i = 0; i < landmarks.length; i += 3) {
          const x = raw[i] ?? Number.NaN;
          const y = raw[i + 1] ?? Number.NaN;
          landmarks[i] = t.a * x + t.b * y + t.c;
          landmarks[i + 1] = t.d * x + t.e * y + t.f;
          landmarks[i + 2] = (raw[i + 2] ?? Number.NaN) * scaleZ;
        }
        return { landmarks, faceFlag: 1 / (1 + Math.exp(-(flag[0] ?? Number.NEGATIVE_INFINITY))) };
      },
    );
  }

  dispose(): void {
    this.#session.dispose();
  }
}

/** A rotated square in the source image: the mesh model's field of view. */
export interface Roi {
  readonly centre: Point;
  /** Side, source pixels. */
  readonly side: number;
  /** Clockwise in the image, radians; 0 if the eyes are level. */
  readonly angle: number;
}

/** The mesh model was trained on squares 1.5 times as large as the face. */
const roiScale = 1.5;

/** The square around a detection, rotated by the line between its eyes. */
export function roiFromDetection({ box, keypoints }: Detection): Roi {
  const [right, left] = keypoints;
  const angle = right && left ? Math.atan2(left.y - right.y, left.x - right.x) : 0;
  return {
    centre: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    side: roiScale * Math.max(box.width, box.height),
    angle,
  };
}

/** The square around landmarks, rotated by the line between the outer eye corners, with bounds along that line. */
export function roiFromLandmarks(landmarks: Landmarks): Roi {
  const { angle, minU, maxU, minV, maxV } = boundsAlongEyes(landmarks);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const u = (minU + maxU) / 2;
  const v = (minV + maxV) / 2;
  return {
    centre: { x: u * cos - v * sin, y: u * sin + v * cos },
    side: roiScale * Math.max(maxU - minU, maxV - minV),
    angle,
  };
}

/** Bounds of all landmarks along (u) and across (v) the line between the outer eye corners. */
export function boundsAlongEyes(landmarks: Landmarks): {
  angle: number;
  minU: number;
  maxU: number;
  minV: number;
  maxV: number;
} {
  const angle = Math.atan2(yOf(landmarks, 263) - yOf(landmarks, 33), xOf(landmarks, 263) - xOf(landmarks, 33));
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  let minU = Number.POSITIVE_INFINITY;
  let maxU = Number.NEGATIVE_INFINITY;
  let minV = Number.POSITIVE_INFINITY;
  let maxV = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < landmarks.length / 3; i++) {
    const u = xOf(landmarks, i) * cos + yOf(landmarks, i) * sin;
    const v = yOf(landmarks, i) * cos - xOf(landmarks, i) * sin;
    if (u < minU) minU = u;
    if (u > maxU) maxU = u;
    if (v < minV) minV = v;
    if (v > maxV) maxV = v;
  }
  return { angle, minU, maxU, minV, maxV };
}

/** Transform from a `size` × `size` target to the square. */
export function roiTransform({ centre, side, angle }: Roi, size: number): AffineTransform {
  const cos = (Math.cos(angle) * side) / size;
  const sin = (Math.sin(angle) * side) / size;
  return {
    a: cos,
    b: -sin,
    c: centre.x - (size / 2) * (cos - sin),
    d: sin,
    e: cos,
    f: centre.y - (size / 2) * (sin + cos),
  };
}
