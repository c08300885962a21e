import type { CoreImage, FaceCore, PixelImage } from '@svc/core';
import type { ModelBundle, ModelName } from '@svc/face-models';
import { isSameTrack, isSettled, isSurelyFace } from './confirmation.ts';
import { BlazeFaceDetector, fullRange, shortRange } from './detect/detector.ts';
import { FaceSearch } from './detect/search.ts';
import { FaceEmbedder } from './embed/embedder.ts';
import { enrolOne } from './enrolment.ts';
import { boundsOf } from './mesh/landmarks.ts';
import { FaceMesh, type MeshResult } from './mesh/mesh.ts';
import { fitCanonicalFace } from './mesh/pose.ts';
import { roiFromDetection, roiFromLandmarks } from './mesh/roi.ts';
import { coreImageOf } from './open-image.ts';
import { parallaxOf } from './parallax.ts';
import { QualityMeter } from './quality.ts';
import type { TfliteRuntime } from './runtime/port.ts';
import { type ModelSession, openSession } from './session.ts';
import type { Detection, EmbedOptions, EngineImage, EnrolResult, FaceAnalysis, FaceEngine } from './types.ts';

export interface FaceEngineOptions {
  readonly core: FaceCore;
  /** Stays the caller's: dispose it after the engine. */
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
}

/**
 * Loads the four base models and checks each against its golden outputs before anything is served.
 *
 * @throws FaceError `model-missing`, `model-mismatch`, `runtime-failed`, `golden-mismatch`
 */
export async function createFaceEngine({ core, runtime, bundle }: FaceEngineOptions): Promise<FaceEngine> {
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
    const { engine } = bundle.manifest;
    const embedder = new FaceEmbedder(core, await open('face-embedding'), engine.dimension);
    return new TfliteFaceEngine(core, { search: new FaceSearch(near, far), mesh, embedder }, engine);
  } catch (cause) {
    for (const session of sessions) session.dispose();
    throw cause;
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

  constructor(core: FaceCore, stages: Stages, spec: { engineId: string; dimension: number; matchThreshold: number }) {
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
    };
  }
}

/** Overwrites the biometric data of an analysis. Idempotent. */
export function wipeAnalysis(face: FaceAnalysis): void {
  face.landmarks.fill(0);
}
