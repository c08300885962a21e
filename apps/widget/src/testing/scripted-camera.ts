import type {
  CameraError,
  CameraProblem,
  Capture,
  EngineState,
  Guidance,
  Photo,
  PhotoError,
  PhotoReview,
  SelfieCamera,
} from '../ports.ts';

/** A camera that a test controls. */
export interface ScriptedCamera extends SelfieCamera {
  readonly isOpen: boolean;
  /** How often it was told to wait for the next steady moment. */
  readonly waits: number;
  /** Lets `open` resolve, or reject with an error. */
  ready(error?: CameraError): void;
  guide(guidance: Guidance): void;
  steady(): void;
  fail(problem: CameraProblem): void;
}

export interface ScriptedCapture extends Capture {
  /** In the order of creation. */
  readonly cameras: readonly ScriptedCamera[];
  /** The error for every file; null: files become photos. */
  fileError: PhotoError | null;
  /** Answers the reviews that were asked for, in order. */
  readonly reviews: ((review: PhotoReview | null) => void)[];
  /** Whether an engine is kept warm: by `warmUp`, until `coolDown` or the first camera. */
  isWarm: boolean;
  engineIs(engine: EngineState): void;
}

function createScriptedCamera(photo: Photo): ScriptedCamera {
  let settle: ((error?: CameraError) => void) | null = null;
  let isOpen = false;
  let waits = 0;
  const guided = new Set<(guidance: Guidance) => void>();
  const steadied = new Set<() => void>();
  const failed = new Set<(problem: CameraProblem) => void>();
  const listen =
    <L>(to: Set<L>) =>
    (listener: L) => {
      to.add(listener);
      return () => to.delete(listener);
    };
  return {
    get isOpen() {
      return isOpen;
    },
    get waits() {
      return waits;
    },
    waitAgain() {
      waits += 1;
    },
    canSwitch: true,
    mirrored: true,
    guidance: 'running',
    open: () =>
      new Promise((resolve, reject) => {
        settle = (error) => {
          isOpen = error === undefined;
          if (error === undefined) resolve();
          else reject(error);
        };
      }),
    switch: () => Promise.resolve(),
    take: () => Promise.resolve(photo),
    close() {
      isOpen = false;
    },
    onGuidance: listen(guided),
    onSteady: listen(steadied),
    onProblem: listen(failed),
    ready: (error) => settle?.(error),
    guide: (guidance) => {
      for (const listener of guided) listener(guidance);
    },
    steady: () => {
      for (const listener of steadied) listener();
    },
    fail: (problem) => {
      for (const listener of failed) listener(problem);
    },
  };
}

/** Photo code that a test controls. @param photo the result of every camera and every file */
export function createScriptedCapture(photo: Photo): ScriptedCapture {
  const cameras: ScriptedCamera[] = [];
  const engines = new Set<(engine: EngineState) => void>();
  return {
    cameras,
    fileError: null,
    reviews: [],
    review() {
      return new Promise((resolve) => void this.reviews.push(resolve));
    },
    isWarm: false,
    warmUp() {
      this.isWarm = true;
    },
    coolDown() {
      this.isWarm = false;
    },
    onEngine(listener) {
      engines.add(listener);
      return () => engines.delete(listener);
    },
    engineIs(engine) {
      for (const listener of engines) listener(engine);
    },
    createCamera() {
      this.isWarm = false;
      const camera = createScriptedCamera(photo);
      cameras.push(camera);
      return camera;
    },
    preparePhoto() {
      return this.fileError === null ? Promise.resolve(photo) : Promise.reject(this.fileError);
    },
  };
}
