import { listWebCameras, openCameraStream } from '@svc/capture-web';
import type { CameraListeners, EngineState, Photo, PhotoReview } from '../ports.ts';
import { type Cameras, LiveCamera } from './camera/selfie-camera.ts';
import { createEngineFetcher, createEngineHost, type EnginePart } from './guide/engine-host.ts';
import { FrameGuide } from './guide/frame-guide.ts';
import { pictureOf, pixelsOf, preparePhoto } from './photo/prepare-photo.ts';

/** The cameras of this browser. */
const browserCameras: Cameras = { open: openCameraStream, list: listWebCameras };

/** The engine's folder, relative to the page, with a slash at its end. Set by the build. */
declare const __ENGINE_FOLDER__: string;
/** Its files, in parts. Set by the build. */
declare const __ENGINE_FILES__: readonly EnginePart[];

const folder = new URL(__ENGINE_FOLDER__, document.baseURI);

/** One engine for the page, for all visits of the camera step. */
const engine = createEngineHost({
  createWorker: () => new Worker(new URL('./guide/engine-worker.ts', import.meta.url), { name: 'svc-face-engine' }),
  fetchFiles: createEngineFetcher(folder, __ENGINE_FILES__),
});
addEventListener('online', engine.resume);

/** Asks the engine about a photo; null if the engine cannot run here. Never rejects. */
async function review(photo: Photo): Promise<PhotoReview | null> {
  const use = engine.use();
  try {
    await use.ready;
    return await use.review(await pixelsOf(photo));
  } catch {
    return null;
  } finally {
    use.release();
  }
}

/** The page fetches the chunk behind this with the first tick of the consent, or at the camera step. */
export type Capture = ReturnType<typeof createCapture>;
export type SelfieCamera = ReturnType<Capture['createCamera']>;

/**
 * Camera, live guidance, and the preparation and review of photos, in this browser. The engine is fetched by `warmUp`,
 * after the first camera has opened, or for the first review.
 */
export function createCapture() {
  return {
    /** Called with the engine's state, now and at every change. */
    onEngine: (listener: (state: EngineState) => void) => engine.onState(listener),
    /** Fetches the engine, or what is missing of it, and starts it; it ends after a time without use. Never throws. */
    warmUp(): void {
      const { ready, release } = engine.use();
      ready.then(release, release);
    },
    /** Ends the engine as soon as nothing uses it: no camera follows. Idempotent. */
    coolDown: engine.coolDown,
    createCamera: ({ onProblem, ...listeners }: CameraListeners): Pick<LiveCamera, keyof LiveCamera> =>
      new LiveCamera({
        cameras: browserCameras,
        guide: new FrameGuide(engine, listeners),
        take: pictureOf,
        page: document,
        onProblem,
      }),
    preparePhoto,
    review,
  };
}
