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
 * When a detection is surely a face. The embedding does not tell: two false detections look alike to it. So detector
 * and mesh, two networks trained apart, must agree. Measured in docs/face-engine.md.
 */
export const confirmationLimits = {
  /** Least detector score. */
  score: 0.5,
  /** Least face flag, in each of both mesh passes. */
  faceFlag: 0.95,
  /** Most distance of the detector's eyes, nose and mouth from the mesh's, mean, inter-eye distances. */
  keypointDistance: 0.4,
  /**
   * Most movement of the landmarks between the mesh passes, mean, inter-eye distances: on a face the mesh has settled.
   */
  passShift: 0.2,
  /**
   * Most distance from the canonical face, root mean square, canonical centimetres: a face has a face's proportions.
   */
  canonicalResidual: 0.9,
} as const;

/**
 * When one mesh pass is enough: the landmarks lie so squarely in the region that the detector gave that a second pass
 * would only shiver (0.015 inter-eye distances on portraits) and, measured, templates get no better by it.
 */
export const settledLimits = {
  faceFlag: 0.99,
  keypointDistance: 0.2,
  /** Most turn of the region, degrees. */
  turnDeg: 8,
  /** Most change of its side, as a factor. */
  sideChange: 1.25,
  /** Most shift of its centre, in sides. */
  centreShift: 0.1,
} as const;

/** Limits of a track on video: one mesh pass, no detector. */
export const trackingLimits = {
  faceFlag: 0.9,
  canonicalResidual: 0.95,
  /** Most change of the inter-eye scale between frames, as a factor. */
  scaleChange: 1.5,
} as const;

/** True when the first mesh pass alone leaves no doubt: `next` is the region of interest that its landmarks give. */
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

/** True when a detection and the two mesh passes on it agree on one face. */
export function isSurelyFace(detection: Detection, first: MeshResult, second: MeshResult): boolean {
  const limits = confirmationLimits;
  // Each comparison is written so that a NaN refuses.
  return (
    detection.score >= limits.score &&
    Math.min(first.faceFlag, second.faceFlag) >= limits.faceFlag &&
    keypointDistance(detection, second.landmarks) <= limits.keypointDistance &&
    passShift(first.landmarks, second.landmarks) <= limits.passShift &&
    fitCanonicalFace(second.landmarks).residual <= limits.canonicalResidual
  );
}

/** True when the mesh still lies on the face that the previous frame's landmarks lay on. */
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

/** Mean distance of the detector's eyes, nose tip and mouth from the mesh's, in inter-eye distances. */
export function keypointDistance({ keypoints }: Detection, landmarks: Landmarks): number {
  const points = [rightEye(landmarks), leftEye(landmarks), centreOf(landmarks, 1), centreOf(landmarks, 13, 14)];
  const sum = points.reduce((total, point, k) => {
    const keypoint = keypoints[k];
    return total + (keypoint === undefined ? Number.NaN : distance(point, keypoint));
  }, 0);
  return sum / points.length / interEyeDistance(landmarks);
}

/** Mean distance between two placements of the mesh, in inter-eye distances of the second. */
export function passShift(first: Landmarks, second: Landmarks): number {
  let sum = 0;
  for (let i = 0; i < landmarkCount; i++) {
    sum += Math.hypot(xOf(first, i) - xOf(second, i), yOf(first, i) - yOf(second, i));
  }
  return sum / landmarkCount / interEyeDistance(second);
}
