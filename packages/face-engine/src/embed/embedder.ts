import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import {
  type EmbeddingModelName,
  type EngineRecipe,
  type ModelEntry,
  type ModelManifest,
  recipeFor,
} from '@svc/face-models';
import type { Landmarks } from '../mesh/landmarks.ts';
import { runtimeFailed } from '../runtime/port.ts';
import type { ModelSession } from '../session.ts';
import { type ChipTransform, chipTransformOf } from './alignment.ts';

/** Embedding networks of several engines: each is opened at first use, and freed when no longer wanted. */
export class EmbedderSet {
  readonly recipes: readonly EngineRecipe[];
  readonly #core: FaceCore;
  readonly #open: (name: EmbeddingModelName) => Promise<ModelSession>;
  readonly #manifest: ModelManifest;
  readonly #opened = new Map<EngineRecipe, Promise<FaceEmbedder>>();
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

  /**
   * @param engineId a former version's is that of its engine
   * @throws FaceError `model-missing` for an unknown engine, and errors of opening its model
   */
  async get(engineId: string): Promise<FaceEmbedder> {
    const recipe = recipeFor(this.recipes, engineId);
    if (recipe === undefined || this.#disposed) throw new FaceError('model-missing', 'there is no such engine here');
    const known = this.#opened.get(recipe);
    if (known !== undefined) return known;
    const opening = this.#make(recipe);
    this.#opened.set(recipe, opening);
    // A failure is not cached.
    opening.catch(() => this.#opened.get(recipe) === opening && this.#opened.delete(recipe));
    return opening;
  }

  /**
   * Opens these engines and frees all others, each once nothing runs on it.
   * @throws FaceError as `get`; the others are freed anyway
   */
  async keep(engineIds: readonly string[]): Promise<void> {
    const wanted = engineIds.map((engineId) => recipeFor(this.recipes, engineId));
    for (const [recipe, opening] of this.#opened) {
      if (wanted.includes(recipe)) continue;
      this.#opened.delete(recipe);
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

  async #make(recipe: EngineRecipe): Promise<FaceEmbedder> {
    const chip = chipOf(this.#manifest.models[recipe.model], recipe);
    return new FaceEmbedder(this.#core, await this.#open(recipe.model), recipe, chip);
  }
}

/** The chip as a network's input. */
interface Chip {
  /** Its side, pixels. */
  readonly size: number;
  /** Maps a pixel byte to the network's input: `scale · byte + offset`. */
  readonly scale: number;
  readonly offset: number;
}

/**
 * @throws FaceError `model-mismatch` if the manifest lacks the input format, or its dimension differs from the engine's
 */
function chipOf(entry: ModelEntry | undefined, { dimension, model }: EngineRecipe): Chip {
  const [input, output] = [entry?.inputs[0], entry?.outputs[0]];
  const size = input?.shape[1];
  const elements = output?.shape.reduce((product, length) => product * length, 1);
  if (size === undefined || input?.range === undefined || elements !== dimension) {
    throw new FaceError('model-mismatch', `${model} is not the network of its engine`);
  }
  const [black, white] = input.range;
  return { size, scale: (white - black) / 255, offset: black };
}

/** Makes an engine's templates: runs its network on the chip and, for references, also on the mirrored chip. */
export class FaceEmbedder {
  readonly recipe: EngineRecipe;
  readonly #core: FaceCore;
  readonly #session: ModelSession;
  readonly #chip: Chip;
  readonly #transform: ChipTransform;

  constructor(core: FaceCore, session: ModelSession, recipe: EngineRecipe, chip: Chip) {
    this.recipe = recipe;
    this.#core = core;
    this.#session = session;
    this.#chip = chip;
    this.#transform = chipTransformOf(recipe.alignment, chip.size);
  }

  /**
   * Embeds one face.
   * @returns `Float32Array[dimension]`, unit L2 norm; wiped by the caller
   * @throws FaceError `invalid-argument` for wiped or non-finite landmarks, `runtime-failed`
   */
  async embed(image: CoreImage, landmarks: Landmarks, withMirror: boolean): Promise<Float32Array> {
    const transform = this.#transform(landmarks);
    // Wiped landmarks would give a chip of one stretched pixel, and such chips all match each other.
    if (!(Math.hypot(transform.a, transform.d) > 0)) throw new FaceError('invalid-argument', 'there are no landmarks');
    const template = new Float32Array(this.recipe.dimension);
    const { size, scale, offset } = this.#chip;
    const chip = withMirror && this.recipe.mirror ? new Float32Array(size * size * 3) : null;
    const add = (fill: (input: Float32Array) => void) =>
      this.#session.infer(fill, (model) => addTo(template, model.output(0)));
    try {
      await add((input) => {
        const warped = image.warpToFloat(transform, size, size, { scale, offset, out: input });
        chip?.set(warped);
      });
      if (chip !== null) await add((input) => mirrorTo(input, chip, size));
      if (!this.#core.normalise(template)) throw runtimeFailed('the embedding has no direction');
      return template;
    } catch (cause) {
      template.fill(0);
      throw cause;
    } finally {
      chip?.fill(0);
    }
  }

  /** Disposes the embedder once nothing runs on it. */
  retire(): Promise<void> {
    return this.#session.retire();
  }

  dispose(): void {
    this.#session.dispose();
  }
}

/** @param chip `Float32Array[size·size·3]` */
function mirrorTo(input: Float32Array, chip: Float32Array, size: number): void {
  for (let i = 0; i < size * size; i++) {
    const column = i % size;
    const from = (i + size - 1 - 2 * column) * 3;
    for (let c = 0; c < 3; c++) input[i * 3 + c] = chip[from + c] ?? 0;
  }
}

function addTo(template: Float32Array, output: Float32Array): void {
  for (let i = 0; i < template.length; i++) template[i] = (template[i] ?? 0) + (output[i] ?? Number.NaN);
}
