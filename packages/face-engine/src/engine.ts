import type { FaceCore, PixelImage } from '@svc/core';
import { type EngineRecipe, type EngineSpec, engineOf, type ModelBundle } from '@svc/face-models';
import { StagedAnalyser } from './analyser.ts';
import { BlazeFaceDetector, fullRange, shortRange } from './detect/detector.ts';
import { FaceSearch } from './detect/search.ts';
import { FaceEmbedder } from './embed/embedder.ts';
import { PartEmbedder } from './embed/embedding-part.ts';
import { enrolOne } from './enrolment.ts';
import { FaceMesh } from './mesh/mesh.ts';
import { coreImageOf } from './open-image.ts';
import type { TfliteRuntime } from './runtime/port.ts';
import { bundleFailure, openSessions } from './session.ts';
import type { EmbedOptions, EngineImage, EnrolResult, FaceAnalysis, FaceEngine } from './types.ts';

export interface FaceEngineOptions {
  readonly core: FaceCore;
  /** Stays the caller's: dispose it after the engine. */
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
  /** One of the bundle's engines. Its default when left out. */
  readonly engineId?: string;
}

/**
 * Loads the models of detection, landmarks and the engine's own embedding, and checks each against its golden outputs before anything is served.
 *
 * @throws FaceError `model-missing`, `model-mismatch`, `runtime-failed`, `golden-mismatch`
 */
export async function createFaceEngine({ core, runtime, bundle, engineId }: FaceEngineOptions): Promise<FaceEngine> {
  const recipe = recipeOf(bundle, engineId);
  return openSessions(runtime, bundle, async (open) => {
    const near = new BlazeFaceDetector(shortRange, await open('face-detection-short'));
    const far = new BlazeFaceDetector(fullRange, await open('face-detection-full'));
    const mesh = new FaceMesh(await open('face-mesh'));
    const parts: PartEmbedder[] = [];
    for (const part of recipe.parts) {
      const size = bundle.manifest.models[part.model]?.inputs[0]?.shape[1] ?? 0;
      parts.push(new PartEmbedder(core, await open(part.model), part, size));
    }
    const embedder = new FaceEmbedder(recipe, parts);
    return new TfliteFaceEngine(core, { search: new FaceSearch(near, far), mesh, embedder }, recipe);
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
  readonly embedder: FaceEmbedder;
}

class TfliteFaceEngine extends StagedAnalyser implements FaceEngine {
  readonly engineId: string;
  readonly dimension: number;
  readonly matchThreshold: number;
  readonly #stages: Stages;

  constructor(core: FaceCore, stages: Stages, spec: EngineSpec) {
    super(core, stages.search, stages.mesh);
    this.#stages = stages;
    this.engineId = spec.engineId;
    this.dimension = spec.dimension;
    this.matchThreshold = spec.matchThreshold;
  }

  embed(image: EngineImage, face: FaceAnalysis, options: EmbedOptions = {}): Promise<Float32Array> {
    return this.#stages.embedder.embed(coreImageOf(image), face.landmarks, options.mirror ?? true);
  }

  async enrol(image: PixelImage): Promise<EnrolResult> {
    const pixels = this.core.image(image);
    try {
      return await enrolOne({
        rounds: this.#stages.search.rounds(pixels),
        analyse: (detection) => this.analyse(pixels, detection),
        embed: (face) => this.embed(pixels, face),
      });
    } finally {
      pixels.dispose();
    }
  }

  override dispose(): void {
    super.dispose();
    this.#stages.embedder.dispose();
  }
}
