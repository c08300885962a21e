import { describe, expect, it } from 'vitest';
import {
  confirmationLimits,
  isSameTrack,
  isSettled,
  isSurelyFace,
  settledLimits,
  trackingLimits,
} from './confirmation.ts';
import { centreOf, leftEye, rightEye } from './mesh/landmarks.ts';
import { type MeshResult, type Roi, roiFromLandmarks } from './mesh/mesh.ts';
import { canonicalBasis } from './mesh/pose.ts';
import { canonicalExtras, projectCanonical, rotationOf } from './testing/canonical-points.ts';
import type { Detection } from './types.ts';

const points = [...canonicalBasis, ...canonicalExtras, [13, 0, -3.99, 5.22], [14, 0, -4.54, 5.4]] as const;

function landmarksAt(yawDeg = 10): Float32Array {
  const landmarks = projectCanonical(points, rotationOf(yawDeg, 0, 0));
  const set = new Set(points.map(([index]) => index));
  for (let i = 0; i < 468; i++) if (!set.has(i)) landmarks.set([320, 240, 0], 3 * i);
  return landmarks;
}

const mesh = (change: Partial<MeshResult> = {}): MeshResult => ({ landmarks: landmarksAt(), faceFlag: 1, ...change });

function moved(landmarks: Float32Array, dx: number): Float32Array {
  return landmarks.map((value, i) => (i % 3 === 0 ? value + dx : value));
}

function detectionOf(landmarks: Float32Array, change: Partial<Detection> = {}): Detection {
  const keypoints = [rightEye(landmarks), leftEye(landmarks), centreOf(landmarks, 1), centreOf(landmarks, 13, 14)];
  return { box: { x: 0, y: 0, width: 1, height: 1 }, keypoints, score: 0.9, ...change };
}

describe('isSurelyFace', () => {
  const detection = detectionOf(landmarksAt());

  it('holds when detector and both passes agree', () => {
    expect(isSurelyFace(detection, mesh(), mesh())).toBe(true);
  });

  it.each<[string, Detection, MeshResult, MeshResult]>([
    ['a low detector score', { ...detection, score: confirmationLimits.score - 0.01 }, mesh(), mesh()],
    ['a low flag in the first pass', detection, mesh({ faceFlag: confirmationLimits.faceFlag - 0.01 }), mesh()],
    ['a low flag in the second pass', detection, mesh(), mesh({ faceFlag: confirmationLimits.faceFlag - 0.01 })],
    ['keypoints elsewhere', detectionOf(moved(landmarksAt(), 40)), mesh(), mesh()],
    [
      'missing keypoints',
      { ...detection, keypoints: detection.keypoints.slice(0, 3).concat([{ x: Number.NaN, y: 0 }]) },
      mesh(),
      mesh(),
    ],
    ['passes that disagree', detection, mesh({ landmarks: moved(landmarksAt(), 20) }), mesh()],
    ['a flag that is not a number', detection, mesh(), mesh({ faceFlag: Number.NaN })],
    ['landmarks that are not numbers', detection, mesh(), mesh({ landmarks: new Float32Array(1404).fill(Number.NaN) })],
  ])('refuses %s', (_, given, first, second) => {
    expect(isSurelyFace(given, first, second)).toBe(false);
  });

  it('refuses a shape that is no face’s', () => {
    const squashed = landmarksAt().map((value, i) => (i % 3 === 1 ? 240 + (value - 240) * 0.45 : value));
    expect(isSurelyFace(detectionOf(squashed), mesh({ landmarks: squashed }), mesh({ landmarks: squashed }))).toBe(
      false,
    );
  });
});

describe('isSettled', () => {
  const landmarks = landmarksAt();
  const next = roiFromLandmarks(landmarks);
  const settled = (given: Partial<Roi>, detection = detectionOf(landmarks), first = mesh()): boolean =>
    isSettled(detection, { ...next, ...given }, first, next);

  it('holds when the landmarks lie squarely in the region given', () => {
    expect(settled({})).toBe(true);
  });

  it.each<[string, Partial<Roi>]>([
    ['turned', { angle: next.angle + ((settledLimits.turnDeg + 1) * Math.PI) / 180 }],
    ['upside down', { angle: next.angle + Math.PI }],
    ['too large', { side: next.side * 1.3 }],
    ['too small', { side: next.side / 1.3 }],
    ['beside the face', { centre: { x: next.centre.x + 0.11 * next.side, y: next.centre.y } }],
  ])('asks for a second pass when the region was %s', (_, given) => {
    expect(settled(given)).toBe(false);
  });

  it('asks for a second pass on a weak flag, score or agreement', () => {
    expect(settled({}, detectionOf(landmarks), mesh({ faceFlag: 0.98 }))).toBe(false);
    expect(settled({}, detectionOf(landmarks, { score: 0.4 }))).toBe(false);
    expect(settled({}, detectionOf(moved(landmarks, 25)))).toBe(false);
  });
});

describe('isSameTrack', () => {
  it('follows a face that moves and turns', () => {
    expect(isSameTrack(landmarksAt(0), mesh({ landmarks: moved(landmarksAt(15), 30) }))).toBe(true);
  });

  it('is lost with the flag, the shape, or a jump in size', () => {
    const scaled = landmarksAt().map((value) => value * (trackingLimits.scaleChange + 0.1));
    expect(isSameTrack(landmarksAt(), mesh({ faceFlag: trackingLimits.faceFlag - 0.01 }))).toBe(false);
    expect(isSameTrack(landmarksAt(), mesh({ landmarks: scaled }))).toBe(false);
    expect(isSameTrack(scaled, mesh())).toBe(false);
    expect(isSameTrack(landmarksAt(), mesh({ landmarks: new Float32Array(1404) }))).toBe(false);
  });
});
