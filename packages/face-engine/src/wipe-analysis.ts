import type { FaceAnalysis } from './types.ts';

/** Overwrites the biometric data of an analysis: its landmarks, and the picture of the face. Idempotent. */
export function wipeAnalysis(face: Pick<FaceAnalysis, 'landmarks' | 'reliefChip'>): void {
  face.landmarks.fill(0);
  face.reliefChip.fill(0);
}
