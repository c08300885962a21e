import type { FaceCore } from '@svc/core';
import { type FaceAnalysis, meanTemplate } from '@svc/face-engine';

/**
 * Distance of the eyes from which on more pixels make an embedding no better, pixels: the chips are little larger than
 * the face then.
 */
const ENOUGH_EYES_PX = 60;
const LEAST_WEIGHT = 0.05;

/**
 * How much a frame counts in the mean: its sharpness (0..1), less where the eyes are closer than 60 px, and less the
 * more the head is turned or tilted. In [0.05, 1].
 */
export function probeWeight({ quality, pose }: Pick<FaceAnalysis, 'quality' | 'pose'>): number {
  const size = Math.min(1, quality.interEyePx / ENOUGH_EYES_PX);
  const towards = Math.cos((pose.yawDeg * Math.PI) / 180) * Math.cos((pose.pitchDeg * Math.PI) / 180);
  const weight = quality.sharpness * size * towards;
  // Written so that what is no number is the least.
  return weight > LEAST_WEIGHT ? Math.min(1, weight) : LEAST_WEIGHT;
}

/** A frame's embedding, `Float32Array[dimension]` of unit L2 norm, and how much it counts. */
export interface WeightedFrame {
  readonly template: Float32Array;
  readonly weight: number;
}

/**
 * The embeddings of a settled face's last frames, and their mean: what is compared. Biometric data: {@link clear} it.
 */
export class FusedProbe {
  readonly #core: FaceCore;
  readonly #maxFrames: number;
  readonly #frames: WeightedFrame[] = [];

  constructor(core: FaceCore, maxFrames: number) {
    this.#core = core;
    this.#maxFrames = maxFrames;
  }

  /**
   * Adds a frame's embedding, which is wiped with the others. One that does not resemble the mean of those before is
   * another face, or was taken otherwise: then the mean starts anew with it.
   * @param leastCosine with the mean
   */
  add(frame: WeightedFrame, leastCosine: number): void {
    if (this.#frames.length > 0 && !(this.cosine(frame.template) >= leastCosine)) this.clear();
    this.#frames.push(frame);
    if (this.#frames.length > this.#maxFrames) this.#frames.shift()?.template.fill(0);
  }

  /**
   * Cosine of the mean with a template of the same engine.
   * @throws FaceError `invalid-argument` where there are no frames
   */
  cosine(template: Float32Array): number {
    const [first] = this.#frames;
    // A frame alone is compared as it is.
    if (first !== undefined && this.#frames.length === 1) return this.#core.cosine(first.template, template);
    const mean = meanTemplate(this.#core, this.#frames);
    try {
      return this.#core.cosine(mean, template);
    } finally {
      mean.fill(0);
    }
  }

  /** Overwrites what it holds. */
  clear(): void {
    for (const { template } of this.#frames.splice(0)) template.fill(0);
  }
}
