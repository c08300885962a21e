/** Interface between the page's steps and the photo code: camera, engine and picture conversion. */
import type { PhotoRefusal } from '@svc/protocol';

/** What a guest can do for a better photo. */
export const hints = [
  'no-face',
  'several-faces',
  'come-closer',
  'step-back',
  'centre',
  'look-straight',
  'more-light',
  'less-light',
  'hold-still',
  'uncover',
] as const;
export type Hint = (typeof hints)[number];

/** A face's bounds as fractions of the picture's width and height, unmirrored. */
export interface FaceBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The engine's result for the current camera picture. */
export interface Guidance {
  /** What the guest can do better; null if nothing. */
  readonly hint: Hint | null;
  /** Null if there is no face. */
  readonly face: FaceBox | null;
  /** For how much of the required time the face has been good and still, 0 to 1. */
  readonly held: number;
}

/** What the engine on this page can find wrong with a photo: the service's reasons, except those that only it sees. */
export type PhotoFlaw = Exclude<PhotoRefusal, 'image-invalid' | 'photo-not-live'>;

/** The engine's result for a photo before it is sent. Only the service decides. */
export interface PhotoReview {
  /** Why the service would probably refuse it; null if it would probably accept it. */
  readonly flaw: PhotoFlaw | null;
  /** Widest first. */
  readonly faces: readonly FaceBox[];
}

/** The engine behind the guidance, one for the page. */
export type EngineState =
  /** Not asked for yet, or ended after a time without use. */
  | { readonly name: 'idle' }
  /** `progress`: share of its files that were fetched, 0 to 1; null while nothing is known about it. */
  | { readonly name: 'loading'; readonly progress: number | null }
  /** Its files do not come; the guest can have the rest fetched, and can take the photo by hand. */
  | { readonly name: 'stalled'; readonly progress: number | null }
  | { readonly name: 'ready' }
  /** It cannot run here: the guest takes the photo by hand. */
  | { readonly name: 'absent' };

/** At most 1280 px on its longest side, upright, without metadata. */
export interface Photo {
  readonly jpeg: Blob;
  /** In px. */
  readonly width: number;
  /** In px. */
  readonly height: number;
}

/**
 * Why there is no picture: refused by the guest or by a policy; no camera; used by another program; any other error.
 */
export type CameraProblem = 'denied' | 'none' | 'busy' | 'failed';

class ProblemError<Problem extends string> extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

export class CameraError extends ProblemError<CameraProblem> {
  override readonly name = 'CameraError';
}

/**
 * Why a file cannot become a photo. `heic`: a HEIC or HEIF picture, which this browser cannot read; `format`: another kind
 * of picture that it cannot.
 */
export type PhotoProblem = 'heic' | 'format' | 'too-large' | 'image-invalid';

/** Why the service refused a photo, as it is told to the guest: `image-invalid` by its reason. */
export type Refusal = PhotoRefusal | 'format' | 'too-large';

export class PhotoError extends ProblemError<PhotoProblem> {
  override readonly name = 'PhotoError';
}

/** What a camera tells the page. */
export interface CameraListeners {
  /** A few times a second once the engine is loaded; never if it cannot run here. */
  readonly onGuidance: (guidance: Guidance) => void;
  /** Good for long enough: the page may take the photo automatically. */
  readonly onSteady: () => void;
  /** The camera is off: unplugged, taken by the system, or not available after the page was hidden. */
  readonly onProblem: (problem: CameraProblem) => void;
}
