import type { CoreImage } from '@svc/core';
import type { EngineRecipe } from '@svc/face-models';
import type { Landmarks } from '../mesh/landmarks.ts';
import type { PartEmbedder } from './embedding-part.ts';

/**
 * Makes templates after an engine's recipe: its parts' unit vectors, √weight long, one after the other. That is a unit vector too, and
 * the cosine of two of them is the weighted sum of the parts' cosines, so one threshold on one cosine compares them.
 */
export class FaceEmbedder {
  readonly #recipe: EngineRecipe;
  readonly #parts: readonly PartEmbedder[];

  /** @param parts in the recipe's order */
  constructor(recipe: EngineRecipe, parts: readonly PartEmbedder[]) {
    this.#recipe = recipe;
    this.#parts = parts;
  }

  /**
   * `Float32Array[dimension]`, unit L2 norm; the caller wipes it.
   *
   * @throws FaceError `invalid-argument` for landmarks that are wiped or no numbers, `runtime-failed`
   */
  async embed(image: CoreImage, landmarks: Landmarks, withMirror: boolean): Promise<Float32Array> {
    const template = new Float32Array(this.#recipe.dimension);
    try {
      let at = 0;
      for (const [i, part] of this.#parts.entries()) {
        const to = at + (this.#recipe.parts[i]?.dimension ?? 0);
        await part.embed(image, landmarks, withMirror, template.subarray(at, to));
        at = to;
      }
      return template;
    } catch (cause) {
      template.fill(0);
      throw cause;
    }
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }
}
