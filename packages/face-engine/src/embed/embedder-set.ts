import { type FaceCore, FaceError } from '@svc/core';
import type { EmbeddingModelName, EngineRecipe, ModelManifest } from '@svc/face-models';
import type { ModelSession } from '../session.ts';
import { FaceEmbedder } from './embedder.ts';

/** The embeddings of several engines: each is opened at its first use, and freed when it is no longer wanted. */
export class EmbedderSet {
  readonly recipes: readonly EngineRecipe[];
  readonly #core: FaceCore;
  readonly #open: (name: EmbeddingModelName) => Promise<ModelSession>;
  readonly #manifest: ModelManifest;
  readonly #opened = new Map<string, Promise<FaceEmbedder>>();
  #disposed = false;

  /** @param open reads, loads and checks a model */
  constructor(
    core: FaceCore,
    recipes: readonly EngineRecipe[],
    open: (name: EmbeddingModelName) => Promise<ModelSession>,
    manifest: ModelManifest,
  ) {
    this.#core = core;
    this.recipes = recipes;
    this.#open = open;
    this.#manifest = manifest;
  }

  /** @throws FaceError `model-missing` for an engine that is not there, and as opening its model does */
  get(engineId: string): Promise<FaceEmbedder> {
    const known = this.#opened.get(engineId);
    if (known !== undefined) return known;
    const opening = this.#make(engineId);
    this.#opened.set(engineId, opening);
    // What failed may succeed the next time.
    opening.catch(() => this.#opened.get(engineId) === opening && this.#opened.delete(engineId));
    return opening;
  }

  /** Opens these and frees all others, each once nothing runs on it. @throws FaceError as `get`; the others are freed all the same */
  async keep(engineIds: readonly string[]): Promise<void> {
    for (const [engineId, opening] of this.#opened) {
      if (engineIds.includes(engineId)) continue;
      this.#opened.delete(engineId);
      const embedder = await opening.catch(() => null);
      await embedder?.retire();
    }
    for (const engineId of engineIds) await this.get(engineId);
  }

  dispose(): void {
    this.#disposed = true;
    for (const opening of this.#opened.values())
      void opening.then((embedder) => embedder.dispose()).catch(() => undefined);
    this.#opened.clear();
  }

  async #make(engineId: string): Promise<FaceEmbedder> {
    const recipe = this.recipes.find((one) => one.engineId === engineId);
    if (recipe === undefined || this.#disposed) throw new FaceError('model-missing', 'there is no such engine here');
    const session = await this.#open(recipe.model);
    const size = this.#manifest.models[recipe.model]?.inputs[0]?.shape[1] ?? 0;
    return new FaceEmbedder(this.#core, session, recipe, size);
  }
}
