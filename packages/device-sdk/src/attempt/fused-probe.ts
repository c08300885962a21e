import type { FaceCore } from '@svc/core';
import { type FaceAnalysis, meanTemplate } from '@svc/face-engine';

/**
 * Inter-eye distance from which more pixels do not improve an embedding: the chips are little larger than the face
 * then.
 */
const ENOUGH_EYES_PX = 60;
const LEAST_WEIGHT = 0.05;

/**
 * Weight of a frame in the mean: its sharpness (0 to 1), reduced for an inter-eye distance below 60 px and for a turned
 * or tilted head. In [0.05, 1].
 */
export function probeWeight({ quality, pose }: Pick<FaceAnalysis, 'quality' | 'pose'>): number {
  const size = Math.min(1, quality.interEyePx / ENOUGH_EYES_PX);
  const towards = Math.cos((pose.yawDeg * Math.PI) / 180) * Math.cos((pose.pitchDeg * Math.PI) / 180);
  const weight = quality.sharpness * size * towards;
  // Written so that NaN gives the minimum.
  return weight > LEAST_WEIGHT ? Math.min(1, weight) : LEAST_WEIGHT;
}

/** A frame's embedding, `Float32Array[dimension]` with unit L2 norm, and its weight. */
export interface WeightedFrame {
  readonly template: Float32Array;
  readonly weight: number;
}

/**
 * The embeddings of a settled face's last frames, and their mean, which is compared. Biometric data: call {@link
 * clear}.
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
   * Adds a frame's embedding, which is wiped with the others. If it does not resemble the mean, it is of another face
   * or condition, and the mean restarts with it.
   * @param leastCosine minimum cosine with the mean
   */
  add(frame: WeightedFrame, leastCosine: number): void {
    if (this.#frames.length > 0 && !(this.cosine(frame.template) >= leastCosine)) this.clear();
    this.#frames.push(frame);
    if (this.#frames.length > this.#maxFrames) this.#frames.shift()?.template.fill(0);
  }

  /**
   * Cosine of the mean with a template of the same engine.
   * @throws FaceError `invalid-argument` without frames
   */
  cosine(template: Float32Array): number {
    const [first] = this.#frames;
    // A single frame is compared directly.
    if (first !== undefined && this.#frames.length === 1) return this.#core.cosine(first.template, template);
    const mean = meanTemplate(this.#core, this.#frames);
    try {
      return this.#core.cosine(mean, template);
    } finally {
      mean.fill(0);
    }
  }

  clear(): void {
    for (const { template } of this.#frames.splice(0)) template.fill(0);
  }
}
