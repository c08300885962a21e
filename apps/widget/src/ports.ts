/** The seam between the page's steps and what takes the photo: camera, engine and the preparation of pictures. */

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

/** What the engine makes of the camera's picture of the moment. */
export interface Guidance {
  /** What the guest can do better; null where nothing. */
  readonly hint: Hint | null;
  /** Normalised to the picture, unmirrored; null: none. */
  readonly face: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | null;
}

/** At most 1280 px on its longest side, upright, without metadata. */
export interface Photo {
  readonly jpeg: Blob;
  /** In px. */
  readonly width: number;
  /** In px. */
  readonly height: number;
}

/**
 * Why there is no picture: the guest or the page around refused; there is no camera; another program has it; anything
 * else.
 */
export type CameraProblem = 'denied' | 'none' | 'busy' | 'failed';

export class CameraError extends Error {
  override readonly name = 'CameraError';
  readonly problem: CameraProblem;

  constructor(problem: CameraProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** Why a file makes no photo. */
export type PhotoProblem = 'not-a-picture' | 'too-large' | 'failed';

export class PhotoError extends Error {
  override readonly name = 'PhotoError';
  readonly problem: PhotoProblem;

  constructor(problem: PhotoProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** A camera that looks at the guest. */
export interface SelfieCamera {
  /** Shows the camera in the element. @throws CameraError */
  open(video: HTMLVideoElement): Promise<void>;
  /** Whether there is another camera; known once `open` has resolved. */
  readonly canSwitch: boolean;
  /**
   * Whether guests expect to see themselves as in a mirror: not by a camera that looks away from the screen. The photo
   * never is mirrored.
   */
  readonly mirrored: boolean;
  /**
   * Shows the next camera in the same element, or the same again where no other opens.
   * @throws CameraError where none does any more
   */
  switch(): Promise<void>;
  /**
   * The camera has gone by itself: unplugged, taken by the system, or not to be had again after the page was out of
   * sight, where it is off. Its light is out.
   * @returns ends it
   */
  onProblem(listener: (problem: CameraProblem) => void): () => void;
  /** Called a few times a second once the engine is loaded. @returns ends it */
  onGuidance(listener: (guidance: Guidance) => void): () => void;
  /**
   * `loading` until guidance comes; `absent` where the engine cannot run here: then the shutter works by hand alone.
   */
  readonly guidance: 'loading' | 'running' | 'absent';
  /** Good for long enough: the page may take the photo by itself. @returns ends it */
  onSteady(listener: () => void): () => void;
  /** The picture of this moment. @throws CameraError where the camera is off. @throws PhotoError `failed` */
  take(): Promise<Photo>;
  /** Ends the camera's light at once; idempotent. */
  close(): void;
}

/** The chunk behind this is fetched at the camera step, never before. */
export interface Capture {
  createCamera(): SelfieCamera;
  /** @throws PhotoError */
  preparePhoto(file: Blob): Promise<Photo>;
}
