import type { CoreImage, FaceCore, PixelImage } from '@svc/core';
import type { ModelBundle, ModelName } from '@svc/face-models';
import { isSameTrack, isSettled, isSurelyFace } from './confirmation.ts';
import { BlazeFaceDetector, shortRange } from './detect/detector.ts';
import { boundsOf } from './mesh/landmarks.ts';
import { FaceMesh, type MeshResult, roiFromDetection, roiFromLandmarks } from './mesh/mesh.ts';
import { fitCanonicalFace, parallaxOf } from './mesh/pose.ts';
import { QualityMeter } from './quality.ts';
import { reliefChipOf } from './relief/nose-relief.ts';
import type { NetworkRuntime } from './runtime/port.ts';
import { coreImageOf, openSessions } from './session.ts';
import type { Detection, EngineImage, FaceAnalyser, FaceAnalysis } from './types.ts';

/** Models of a bundle that {@link createFaceAnalyser} loads. */
export const analyserModels = ['face-detection-short', 'face-mesh'] as const satisfies readonly ModelName[];

/** Options of {@link createFaceAnalyser}. */
export interface FaceAnalyserOptions {
  readonly core: FaceCore;
  /** Owned by the caller, who disposes it after the analyser. */
  readonly runtime: NetworkRuntime;
  /** Must contain {@link analyserModels}; others are not read. */
  readonly bundle: ModelBundle;
}

/**
 * Creates an engine without full-range detector and embedding, for pages that guide a person to a good photo. It cannot
 * make templates. Each model is checked against its golden outputs first.
 * @throws FaceError `model-missing`, `model-mismatch`, `runtime-failed`, `golden-mismatch`
 */
export async function createFaceAnalyser({ core, runtime, bundle }: FaceAnalyserOptions): Promise<FaceAnalyser> {
  return openSessions(runtime, bundle, async (open) => {
    const near = new BlazeFaceDetector(shortRange, await open('face-detection-short'));
    const search = { quick: (image: CoreImage) => near.detect(image), dispose: () => near.dispose() };
    return new StagedAnalyser(core, search, new FaceMesh(await open('face-mesh')));
  });
}

/** The search for faces that an analyser needs. */
export interface QuickSearch {
  /** For video; best first. */
  quick(image: CoreImage): Promise<readonly Detection[]>;
  dispose(): void;
}

/** Detection, landmarks and measures, stage by stage. */
export class StagedAnalyser implements FaceAnalyser {
  readonly core: FaceCore;
  readonly #search: QuickSearch;
  readonly #mesh: FaceMesh;
  readonly #quality = new QualityMeter();

  constructor(core: FaceCore, search: QuickSearch, mesh: FaceMesh) {
    this.core = core;
    this.#search = search;
    this.#mesh = mesh;
  }

  open(image: PixelImage): EngineImage {
    return this.core.image(image);
  }

  detect(image: EngineImage): Promise<readonly Detection[]> {
    return this.#search.quick(coreImageOf(image));
  }

  async analyse(image: EngineImage, detection: Detection): Promise<FaceAnalysis | null> {
    const pixels = coreImageOf(image);
    const given = roiFromDetection(detection);
    const first = await this.#mesh.run(pixels, given);
    const next = roiFromLandmarks(first.landmarks);
    if (isSettled(detection, given, first, next)) return this.#resolve(pixels, first, true);
    const second = await this.#mesh.run(pixels, next);
    const sure = isSurelyFace(detection, first, second);
    first.landmarks.fill(0);
    return this.#resolve(pixels, second, sure);
  }

  async track(image: EngineImage, previous: FaceAnalysis): Promise<FaceAnalysis | null> {
    const pixels = coreImageOf(image);
    const present = await this.#mesh.run(pixels, roiFromLandmarks(previous.landmarks));
    return this.#resolve(pixels, present, isSameTrack(previous.landmarks, present));
  }

  dispose(): void {
    this.#search.dispose();
    this.#mesh.dispose();
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
