import { listWebCameras, openCameraStream } from '@svc/capture-web';
import type { Cameras } from './selfie-camera.ts';

/** The cameras of this browser. */
export const browserCameras: Cameras = { open: openCameraStream, list: listWebCameras };
