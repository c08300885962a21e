import { listWebCameras, openCameraStream } from '@svc/capture-web';
import type { Capture } from '../ports.ts';
import { type Cameras, createSelfieCamera } from './camera/selfie-camera.ts';
import { createEngineLine } from './guide/engine-line.ts';
import { createFrameGuide } from './guide/frame-guide.ts';
import { pictureOf, preparePhoto } from './photo/prepare-photo.ts';

/** The cameras of this browser. */
const browserCameras: Cameras = { open: openCameraStream, list: listWebCameras };

/** The engine's folder, relative to the page, with a slash at its end. Set by the build. */
declare const __ENGINE_FOLDER__: string;

/** One engine for the page, for all visits of the camera step. */
const engine = createEngineLine({
  createWorker: () => new Worker(new URL('./guide/engine-worker.ts', import.meta.url), { name: 'svc-face-engine' }),
  folder: new URL(__ENGINE_FOLDER__, document.baseURI),
});

/**
 * Camera, live guidance and the preparation of photos, in this browser. The engine is fetched after the first camera
 * has opened.
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
