import type { FaceCore, PixelImage } from '@svc/core';
import { type EngineRecipe, engineOf, enginesIn, type ModelBundle } from '@svc/face-models';
import { StagedAnalyser } from './analyser.ts';
import { BlazeFaceDetector, FaceSearch, fullRange, shortRange } from './detect/detector.ts';
import { EmbedderSet } from './embed/embedder.ts';
import { enrolOne } from './enrolment.ts';
import { FaceMesh } from './mesh/mesh.ts';
import type { NetworkRuntime } from './runtime/port.ts';
import { bundleFailure, coreImageOf, openSession, openSessions } from './session.ts';
import type { EmbedOptions, EngineChoice, EngineImage, EnrolResult, FaceAnalysis, FaceEngine } from './types.ts';

/** Options of {@link createFaceEngine}. */
export interface FaceEngineOptions {
  readonly core: FaceCore;
  /** Owned by the caller, who disposes it after the engine. */
  readonly runtime: NetworkRuntime;
  readonly bundle: ModelBundle;
  /** Default engine for templates. Default: the bundle's preferred one. */
  readonly engineId?: string;
}

/**
 * Creates a face engine: loads the models of detection, landmarks and one embedding, and checks each against its golden
 * outputs. Embeddings of the bundle's other engines are loaded on demand.
 * @throws FaceError `model-missing`, `model-mismatch`, `runtime-failed`, `golden-mismatch`
 */
export async function createFaceEngine({ core, runtime, bundle, engineId }: FaceEngineOptions): Promise<FaceEngine> {
  const recipe = recipeOf(bundle, engineId);
  const embedders = new EmbedderSet(
    core,
    enginesIn(bundle.manifest),
    (name) => openSession(runtime, bundle, name),
    bundle.manifest,
  );
  return openSessions(runtime, bundle, async (open) => {
    const near = new BlazeFaceDetector(shortRange, await open('face-detection-short'));
    const far = new BlazeFaceDetector(fullRange, await open('face-detection-full'));
    const mesh = new FaceMesh(await open('face-mesh'));
    await embedders.get(recipe.engineId);
    return new LocalFaceEngine(core, { search: new FaceSearch(near, far), mesh, embedders }, recipe);
  });
}

function recipeOf(bundle: ModelBundle, engineId: string | undefined): EngineRecipe {
  try {
    return engineOf(bundle.manifest, engineId);
  } catch (cause) {
    throw bundleFailure('the engine', cause);
  }
}

interface Stages {
  readonly search: FaceSearch;
  readonly mesh: FaceMesh;
  readonly embedders: EmbedderSet;
}

class LocalFaceEngine extends StagedAnalyser implements FaceEngine {
  readonly engineId: string;
  readonly dimension: number;
  readonly matchThreshold: number;
  readonly recipes: readonly EngineRecipe[];
  readonly #stages: Stages;

  constructor(core: FaceCore, stages: Stages, { engineId, dimension, matchThreshold }: EngineRecipe) {
    super(core, stages.search, stages.mesh);
    this.#stages = stages;
    this.recipes = stages.embedders.recipes;
    this.engineId = engineId;
    this.dimension = dimension;
    this.matchThreshold = matchThreshold;
  }

  prepare(engineIds: readonly string[]): Promise<void> {
    return this.#stages.embedders.keep(engineIds);
  }

  async embed(image: EngineImage, face: FaceAnalysis, options: EmbedOptions = {}): Promise<Float32Array> {
    const { engineId = this.engineId, mirror = true } = options;
    const embedder = await this.#stages.embedders.get(engineId);
    return embedder.embed(coreImageOf(image), face.landmarks, mirror);
  }

  async enrol(image: PixelImage, { engineId = this.engineId }: EngineChoice = {}): Promise<EnrolResult> {
    const { recipe } = await this.#stages.embedders.get(engineId);
    const pixels = this.core.image(image);
    try {
      return await enrolOne({
        limits: recipe.enrolmentLimits,
        rounds: this.#stages.search.rounds(pixels),
        analyse: (detection) => this.analyse(pixels, detection),
        embed: (face) => this.embed(pixels, face, { engineId }),
      });
    } finally {
      pixels.dispose();
    }
  }

  override dispose(): void {
    super.dispose();
    this.#stages.embedders.dispose();
  }
}
