import { listWebCameras, openCameraStream } from '@svc/capture-web';
import type { Capture } from '../ports.ts';
import { type Cameras, createSelfieCamera } from './camera/selfie-camera.ts';
import { createEngineLine } from './guide/engine-line.ts';
import { createFrameGuide } from './guide/frame-guide.ts';
import { pictureOf, preparePhoto } from './photo/prepare-photo.ts';

/** The cameras of this browser. */
const browserCameras: Cameras = { open: openCameraStream, list: listWebCameras };

/** The engine's folder, relative to the page's; with a slash at its end. Put in by the build. */
declare const __ENGINE_FOLDER__: string;

/** One for the page, however often it comes back to the camera. */
const engine = createEngineLine({
  createWorker: () => new Worker(new URL('./guide/engine-worker.ts', import.meta.url), { name: 'svc-face-engine' }),
  folder: new URL(__ENGINE_FOLDER__, document.baseURI),
});

/**
 * Camera, live guidance and the preparation of photos, in this browser. Nothing of the engine is fetched before a
 * camera has opened.
 */
export function createCapture(): Capture {
  return {
    createCamera: () =>
      createSelfieCamera({
        cameras: browserCameras,
        guide: createFrameGuide(engine),
        take: pictureOf,
        page: document,
      }),
    preparePhoto,
  };
}
