import type { CoreImage } from '@svc/core';
import type { ModelSession } from '../session.ts';
import { type Landmarks, landmarkCount } from './landmarks.ts';
import { type Roi, roiTransform } from './roi.ts';

/** Side of the mesh model's input, pixels. */
const meshSize = 192;

export interface MeshResult {
  /** Owned by the caller. */
  readonly landmarks: Landmarks;
  /** Face probability, 0..1. */
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
