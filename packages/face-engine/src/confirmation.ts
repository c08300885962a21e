import {
  centreOf,
  distance,
  interEyeDistance,
  type Landmarks,
  landmarkCount,
  leftEye,
  rightEye,
  xOf,
  yOf,
} from './mesh/landmarks.ts';
import type { MeshResult, Roi } from './mesh/mesh.ts';
import { fitCanonicalFace } from './mesh/pose.ts';
import type { Detection } from './types.ts';

/**
 * Limits at which a detection counts as a face. Two false detections have similar embeddings, so embeddings cannot
 * tell. Instead detector and mesh, two networks trained separately, must agree. Measured in
 * docs/internals/face-engine.md.
 */
export const confirmationLimits = {
  /** Minimum detector score. */
  score: 0.5,
  /** Minimum face flag in each of the two mesh passes. */
  faceFlag: 0.95,
  /** Maximum mean distance of the detector's eyes, nose and mouth from the mesh's, inter-eye distances. */
  keypointDistance: 0.4,
  /**
   * Maximum mean movement of the landmarks between the mesh passes, inter-eye distances. On a face the mesh converges.
   */
  passShift: 0.2,
  /** Maximum distance from the canonical face, root mean square, canonical centimetres: checks a face's proportions. */
  canonicalResidual: 0.9,
} as const;

/**
 * Limits within which one mesh pass is enough: the landmarks fit the detector's region so well that a second pass only
 * adds noise (0.015 inter-eye distances on portraits) and does not improve templates.
 */
export const settledLimits = {
  faceFlag: 0.99,
  keypointDistance: 0.2,
  /** Maximum rotation of the region, degrees. */
  turnDeg: 8,
  /** Maximum change of its side, as a factor. */
  sideChange: 1.25,
  /** Maximum shift of its centre, in sides. */
  centreShift: 0.1,
} as const;

/** Limits for tracking on video: one mesh pass, no detector. */
export const trackingLimits = {
  faceFlag: 0.9,
  canonicalResidual: 0.95,
  /** Maximum change of the inter-eye scale between frames, as a factor. */
  scaleChange: 1.5,
} as const;

/** True if the first mesh pass is enough: `next` is the region of interest computed from its landmarks. */
export function isSettled(detection: Detection, given: Roi, first: MeshResult, next: Roi): boolean {
  const limits = settledLimits;
  const turn = Math.abs(Math.sin(next.angle - given.angle)) + (Math.cos(next.angle - given.angle) > 0 ? 0 : 1);
  const sideChange = Math.max(next.side / given.side, given.side / next.side);
  return (
    detection.score >= confirmationLimits.score &&
    first.faceFlag >= limits.faceFlag &&
    keypointDistance(detection, first.landmarks) <= limits.keypointDistance &&
    fitCanonicalFace(first.landmarks).residual <= confirmationLimits.canonicalResidual &&
    turn <= Math.sin((limits.turnDeg * Math.PI) / 180) &&
    sideChange <= limits.sideChange &&
    distance(given.centre, next.centre) <= limits.centreShift * next.side
  );
}

/** True if a detection and its two mesh passes agree on one face. */
export function isSurelyFace(detection: Detection, first: MeshResult, second: MeshResult): boolean {
  const limits = confirmationLimits;
  // Each comparison is written so that NaN fails.
  return (
    detection.score >= limits.score &&
    Math.min(first.faceFlag, second.faceFlag) >= limits.faceFlag &&
    keypointDistance(detection, second.landmarks) <= limits.keypointDistance &&
    passShift(first.landmarks, second.landmarks) <= limits.passShift &&
    fitCanonicalFace(second.landmarks).residual <= limits.canonicalResidual
  );
}

/** True if the mesh is still on the face of the previous frame's landmarks. */
export function isSameTrack(previous: Landmarks, present: MeshResult): boolean {
  const fit = fitCanonicalFace(present.landmarks);
  const ratio = fit.scale / fitCanonicalFace(previous).scale;
  return (
    present.faceFlag >= trackingLimits.faceFlag &&
    fit.residual <= trackingLimits.canonicalResidual &&
    ratio <= trackingLimits.scaleChange &&
    ratio >= 1 / trackingLimits.scaleChange
  );
}

/** Mean distance between the detector's and the mesh's eyes, nose tip and mouth, in inter-eye distances. */
export function keypointDistance({ keypoints }: Detection, landmarks: Landmarks): number {
  const points = [rightEye(landmarks), leftEye(landmarks), centreOf(landmarks, 1), centreOf(landmarks, 13, 14)];
  const sum = points.reduce((total, point, k) => {
    const keypoint = keypoints[k];
    return total + (keypoint === undefined ? Number.NaN : distance(point, keypoint));
  }, 0);
  return sum / points.length / interEyeDistance(landmarks);
}

/** Mean distance between two mesh results, in inter-eye distances of the second. */
export function passShift(first: Landmarks, second: Landmarks): number {
  let sum = 0;
  for (let i = 0; i < landmarkCount; i++) {
    sum += Math.hypot(xOf(first, i) - xOf(second, i), yOf(first, i) - yOf(second, i));
  }
  return sum / landmarkCount / interEyeDistance(second);
}
