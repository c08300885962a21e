import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import type { Landmarks } from '../mesh/landmarks.ts';
import { runtimeFailed } from '../runtime/failure.ts';
import type { ModelSession } from '../session.ts';
import { chipSize, chipTransform } from './alignment.ts';

/** dlib's ResNet on the aligned chip and its mirror image (King 2017, «High Quality Face Recognition with Deep Metric Learning»). */
export class FaceEmbedder {
  readonly dimension: number;
  readonly #core: FaceCore;
  readonly #session: ModelSession;

  constructor(core: FaceCore, session: ModelSession, dimension: number) {
    this.#core = core;
    this.#session = session;
    this.dimension = dimension;
  }

  /**
   * `Float32Array[dimension]`, unit L2 norm; the caller wipes it. Chip and raw outputs are wiped here.
   *
   * @throws FaceError `invalid-argument` for landmarks that are wiped or no numbers, `runtime-failed`
   */
  async embed(image: CoreImage, landmarks: Landmarks, withMirror: boolean): Promise<Float32Array> {
    const template = new Float32Array(this.dimension);
    const transform = chipTransform(landmarks);
    // Wiped landmarks would stretch one pixel over the chip, and any two such chips look alike.
    if (!(Math.hypot(transform.a, transform.d) > 0)) throw new FaceError('invalid-argument', 'there are no landmarks');
    for (const mirror of withMirror ? [false, true] : [false]) {
      await this.#session.infer(
        (input) => image.warpToFloat(transform, chipSize, chipSize, { mirror, out: input }),
        (model) => {
          const output = model.output(0);
          for (let i = 0; i < template.length; i++) template[i] = (template[i] ?? 0) + (output[i] ?? Number.NaN);
          output.fill(0);
          model.input(0).fill(0);
        },
      );
    }
    if (!this.#core.normalise(template)) throw runtimeFailed('the embedding has no direction');
    return template;
  }

  dispose(): void {
    this.#session.dispose();
  }
}
