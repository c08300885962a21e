import { type FaceAnalysis, measureNoseRelief, type ReliefFace } from '@svc/face-engine';
import { STANDARD_POLICY } from '../verification/policy.ts';
import type { ReliefSample } from '../verification/relief.ts';

const sine = (yawDeg: number): number => Math.sin((yawDeg * Math.PI) / 180);

/**
 * Measures what shape a face has from how it changes while it turns: each turned frame against the most frontal one of the same track, which is
 * remembered here alone; `dispose` forgets it, for another face.
 */
export class ReliefMeter {
  #front: (ReliefFace & { readonly yawDeg: number }) | null = null;

  /** @returns null where the face is hardly turned, or too little of it is found again */
  read(face: FaceAnalysis): ReliefSample | null {
    const { yawDeg } = face.pose;
    if (this.#front === null || Math.abs(yawDeg) < Math.abs(this.#front.yawDeg)) this.#remember(face);
    const front = this.#front;
    const { fromYawDeg } = STANDARD_POLICY.relief;
    if (front === null || Math.abs(yawDeg) < fromYawDeg || Math.abs(front.yawDeg) > STANDARD_POLICY.frontalYawDeg) {
      return null;
    }
    const relief = measureNoseRelief(front, face);
    if (relief === null) return null;
    const { offset, widthKept, agreement } = relief;
    return { depth: offset / (sine(yawDeg) - sine(front.yawDeg)), widthKept, agreement };
  }

  /** Wipes what is remembered of the face. */
  dispose(): void {
    this.#front?.landmarks.fill(0);
    this.#front?.reliefChip.fill(0);
    this.#front = null;
  }

  #remember({ landmarks, reliefChip, pose }: FaceAnalysis): void {
    this.dispose();
    this.#front = { landmarks: landmarks.slice(), reliefChip: reliefChip.slice(), yawDeg: pose.yawDeg };
  }
}
