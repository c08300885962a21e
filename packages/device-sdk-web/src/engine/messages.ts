import type { PixelImage } from '@svc/core';
import type {
  Detection,
  EmbedOptions,
  EngineChoice,
  EngineRecipe,
  EnrolResult,
  FaceAnalysis,
  PassiveLiveness,
  PassiveScore,
} from '@svc/face-engine';

/** Requests to the worker and their answers. The page assigns numbers to images. */
export interface WorkerOperations {
  start: { readonly ask: { readonly baseUrl: string; readonly passive: boolean }; readonly answer: EngineFacts };
  prepare: { readonly ask: { readonly engineIds: readonly string[] }; readonly answer: null };
  detect: { readonly ask: { readonly image: number }; readonly answer: readonly Detection[] };
  analyse: { readonly ask: { readonly image: number; readonly detection: Detection }; readonly answer: MaybeFace };
  track: { readonly ask: { readonly image: number; readonly previous: FaceAnalysis }; readonly answer: MaybeFace };
  embed: {
    readonly ask: { readonly image: number; readonly face: FaceAnalysis; readonly options: EmbedOptions };
    readonly answer: Float32Array;
  };
  score: {
    readonly ask: { readonly image: number; readonly face: FaceAnalysis };
    readonly answer: PassiveScore | null;
  };
  enrol: {
    readonly ask: { readonly image: PixelImage; readonly choice: EngineChoice };
    readonly answer: EnrolResult;
  };
  /** The worker owns the image's pixels; the buffer that carried them comes back wiped. */
  open: { readonly ask: { readonly image: number; readonly pixels: OwnedPixels }; readonly answer: Carrier };
  dispose: { readonly ask: { readonly image: number }; readonly answer: null };
}

type MaybeFace = FaceAnalysis | null;
type Carrier = Uint8Array<ArrayBuffer>;
/** Pixels in their own buffer. */
export type OwnedPixels = PixelImage & { readonly data: Carrier };
export type OperationName = keyof WorkerOperations;

export type PassiveFacts = Omit<PassiveLiveness, 'score' | 'dispose'>;

export interface EngineFacts {
  /** The default engine, one of the recipes. */
  readonly engineId: string;
  readonly recipes: readonly EngineRecipe[];
  /** The passive check's description; null without one. */
  readonly passive: PassiveFacts | null;
}
