import type { CoreImage, FaceCore, PixelImage } from '@svc/core';
import { type EngineRecipe, type EngineSpec, engineOf, type ModelBundle, type ModelName } from '@svc/face-models';
import { isSameTrack, isSettled, isSurelyFace } from './confirmation.ts';
import { BlazeFaceDetector, fullRange, shortRange } from './detect/detector.ts';
import { FaceSearch } from './detect/search.ts';
import { FaceEmbedder } from './embed/embedder.ts';
import { PartEmbedder } from './embed/embedding-part.ts';
import { enrolOne } from './enrolment.ts';
import { reliefChipOf } from './liveness/relief-chip.ts';
import { boundsOf } from './mesh/landmarks.ts';
import { FaceMesh, type MeshResult } from './mesh/mesh.ts';
import { fitCanonicalFace } from './mesh/pose.ts';
import { roiFromDetection, roiFromLandmarks } from './mesh/roi.ts';
import { coreImageOf } from './open-image.ts';
import { parallaxOf } from './parallax.ts';
import { QualityMeter } from './quality.ts';
import type { TfliteRuntime } from './runtime/port.ts';
import { bundleFailure, type ModelSession, openSession } from './session.ts';
import type { Detection, EmbedOptions, EngineImage, EnrolResult, FaceAnalysis, FaceEngine } from './types.ts';

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
  const sessions: ModelSession[] = [];
  const open = async (name: ModelName): Promise<ModelSession> => {
    const session = await openSession(runtime, bundle, name);
    sessions.push(session);
    return session;
  };
  try {
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
  } catch (cause) {
    for (const session of sessions) session.dispose();
    throw cause;
  }
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

class TfliteFaceEngine implements FaceEngine {
  readonly engineId: string;
  readonly dimension: number;
  readonly matchThreshold: number;
  readonly core: FaceCore;
  readonly #stages: Stages;
  readonly #quality = new QualityMeter();

  constructor(core: FaceCore, stages: Stages, spec: EngineSpec) {
    this.core = core;
    this.#stages = stages;
    this.engineId = spec.engineId;
    this.dimension = spec.dimension;
    this.matchThreshold = spec.matchThreshold;
  }

  open(image: PixelImage): EngineImage {
    return this.core.image(image);
  }

  detect(image: EngineImage): Promise<readonly Detection[]> {
    return this.#stages.search.quick(coreImageOf(image));
  }

  async analyse(image: EngineImage, detection: Detection): Promise<FaceAnalysis | null> {
    const pixels = coreImageOf(image);
    const given = roiFromDetection(detection);
    const first = await this.#stages.mesh.run(pixels, given);
    const next = roiFromLandmarks(first.landmarks);
    if (isSettled(detection, given, first, next)) return this.#resolve(pixels, first, true);
    const second = await this.#stages.mesh.run(pixels, next);
    const sure = isSurelyFace(detection, first, second);
    first.landmarks.fill(0);
    return this.#resolve(pixels, second, sure);
  }

  async track(image: EngineImage, previous: FaceAnalysis): Promise<FaceAnalysis | null> {
    const pixels = coreImageOf(image);
    const present = await this.#stages.mesh.run(pixels, roiFromLandmarks(previous.landmarks));
    return this.#resolve(pixels, present, isSameTrack(previous.landmarks, present));
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

  dispose(): void {
    this.#stages.search.dispose();
    this.#stages.mesh.dispose();
    this.#stages.embedder.dispose();
  }

  #resolve(image: CoreImage, { landmarks, faceFlag }: MeshResult, sure: boolean): FaceAnalysis | null {
    if (!sure) {
      landmarks.fill(0);
      return null;
    }
    return {
      box: boundsOf(landmarks),
      faceFlag,
      landmarks,
      pose: fitCanonicalFace(landmarks).pose,
      quality: this.#quality.measure(image, landmarks),
      parallax: parallaxOf(landmarks),
      reliefChip: reliefChipOf(image, landmarks),
    };
  }
}

/** Overwrites the biometric data of an analysis. Idempotent. */
export function wipeAnalysis(face: FaceAnalysis): void {
  face.landmarks.fill(0);
  face.reliefChip.fill(0);
}
