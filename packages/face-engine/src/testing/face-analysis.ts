import type { FaceAnalysis } from '../types.ts';

/** What differs from {@link faceAnalysis}'s usual face. */
interface Difference {
  readonly box?: Partial<FaceAnalysis['box']>;
  readonly pose?: Partial<FaceAnalysis['pose']>;
  readonly quality?: Partial<FaceAnalysis['quality']>;
}

/** A frontal face that can be scored, in a frame of 640 × 480; its landmarks are zeros and its chip is empty. */
export const faceAnalysis = ({ box, pose, quality }: Difference = {}): FaceAnalysis => ({
  box: { x: 260, y: 160, width: 120, height: 160, ...box },
  faceFlag: 1,
  landmarks: new Float32Array(468 * 3),
  pose: { yawDeg: 0, pitchDeg: 0, rollDeg: 0, ...pose },
  quality: {
    faceWidthPx: 120,
    interEyePx: 60,
    brightness: 0.5,
    contrast: 0.2,
    overexposed: 0,
    sharpness: 0.6,
    coverage: 1,
    ...quality,
  },
  parallax: 0,
  reliefChip: new Uint8Array(),
});
