import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import type { EmbeddingPart } from '@svc/face-models';
import type { Landmarks } from '../mesh/landmarks.ts';
import { runtimeFailed } from '../runtime/failure.ts';
import type { ModelSession } from '../session.ts';
import { type ChipTransform, chipTransformFor } from './alignment.ts';

/** One network on the aligned chip, and where its engine averages them on the chip's mirror image too. */
export class PartEmbedder {
  readonly #core: FaceCore;
  readonly #session: ModelSession;
  readonly #part: EmbeddingPart;
  readonly #size: number;
  readonly #transform: ChipTransform;

  /** @param size side of the chip that the network reads, pixels */
  constructor(core: FaceCore, session: ModelSession, part: EmbeddingPart, size: number) {
    this.#core = core;
    this.#session = session;
    this.#part = part;
    this.#size = size;
    this.#transform = chipTransformFor({ size, padding: part.padding });
  }

  /**
   * Writes this part into `template`, `Float32Array[dimension]`, √weight long.
   *
   * @throws FaceError `invalid-argument` for landmarks that are wiped or no numbers, `runtime-failed`
   */
  async embed(image: CoreImage, landmarks: Landmarks, withMirror: boolean, template: Float32Array): Promise<void> {
    const transform = this.#transform(landmarks);
    // Wiped landmarks would stretch one pixel over the chip, and any two such chips look alike.
    if (!(Math.hypot(transform.a, transform.d) > 0)) throw new FaceError('invalid-argument', 'there are no landmarks');
    for (const mirror of withMirror && this.#part.mirror ? [false, true] : [false]) {
      await this.#session.infer(
        (input) => image.warpToFloat(transform, this.#size, this.#size, { mirror, out: input }),
        (model) => {
          const output = model.output(0);
          for (let i = 0; i < template.length; i++) template[i] = (template[i] ?? 0) + (output[i] ?? Number.NaN);
        },
      );
    }
    if (!this.#core.normalise(template)) throw runtimeFailed('the embedding has no direction');
    const length = Math.sqrt(this.#part.weight);
    for (let i = 0; i < template.length; i++) template[i] = (template[i] ?? 0) * length;
  }

  dispose(): void {
    this.#session.dispose();
  }
}
