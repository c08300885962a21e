import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import type { EngineRecipe } from '@svc/face-models';
import type { Landmarks } from '../mesh/landmarks.ts';
import { runtimeFailed } from '../runtime/failure.ts';
import type { ModelSession } from '../session.ts';
import { type ChipTransform, chipTransformOf } from './alignment.ts';

/** Makes templates after an engine's recipe: its network on the aligned chip and, for references, on the chip's mirror image too. */
export class FaceEmbedder {
  readonly recipe: EngineRecipe;
  readonly #core: FaceCore;
  readonly #session: ModelSession;
  readonly #size: number;
  readonly #transform: ChipTransform;

  /** @param size side of the chip that the network reads, pixels */
  constructor(core: FaceCore, session: ModelSession, recipe: EngineRecipe, size: number) {
    this.recipe = recipe;
    this.#core = core;
    this.#session = session;
    this.#size = size;
    this.#transform = chipTransformOf(recipe.alignment, size);
  }

  /**
   * `Float32Array[dimension]`, unit L2 norm; the caller wipes it.
   *
   * @throws FaceError `invalid-argument` for landmarks that are wiped or no numbers, `runtime-failed`
   */
  async embed(image: CoreImage, landmarks: Landmarks, withMirror: boolean): Promise<Float32Array> {
    const transform = this.#transform(landmarks);
    // Wiped landmarks would stretch one pixel over the chip, and any two such chips look alike.
    if (!(Math.hypot(transform.a, transform.d) > 0)) throw new FaceError('invalid-argument', 'there are no landmarks');
    const template = new Float32Array(this.recipe.dimension);
    try {
      for (const mirror of withMirror && this.recipe.mirror ? [false, true] : [false]) {
        await this.#session.infer(
          (input) => image.warpToFloat(transform, this.#size, this.#size, { mirror, out: input }),
          (model) => addTo(template, model.output(0)),
        );
      }
      if (!this.#core.normalise(template)) throw runtimeFailed('the embedding has no direction');
      return template;
    } catch (cause) {
      template.fill(0);
      throw cause;
    }
  }

  /** Disposes it once nothing runs on it any more. */
  retire(): Promise<void> {
    return this.#session.retire();
  }

  dispose(): void {
    this.#session.dispose();
  }
}

function addTo(template: Float32Array, output: Float32Array): void {
  for (let i = 0; i < template.length; i++) template[i] = (template[i] ?? 0) + (output[i] ?? Number.NaN);
}
