/** Camera frames in a browser, and requests to a worker, for pages with a face engine. */
export {
  type CameraStream,
  listWebCameras,
  openCameraStream,
  orEnd,
  pause,
  type WebCamera,
} from './camera/camera-stream.ts';
export {
  createFrameGrabber,
  type FrameGrabber,
  fittedSize,
  type GrabbedImage,
  type Size,
} from './camera/frame-grabber.ts';
export { type NextFrameOptions, nextVideoFrame } from './camera/next-video-frame.ts';
export type { AnswerOf, AskOf, Operations, WorkerAnswer, WorkerRequest } from './worker/worker-link.ts';
export { type AskOptions, answerRequests, WorkerLink } from './worker/worker-link.ts';
