/** Camera frames in a browser, and requests to a worker, for pages with a face engine. */
export { type CameraStream, openCameraStream } from './camera/camera-stream.ts';
export { fittedSize, type Size } from './camera/fitted-size.ts';
export { createFrameGrabber, type FrameGrabber } from './camera/frame-grabber.ts';
export { listWebCameras, type WebCamera } from './camera/list-web-cameras.ts';
export { type NextFrameOptions, nextVideoFrame } from './camera/next-video-frame.ts';
export { answerRequests } from './worker/answer-requests.ts';
export type { AnswerOf, AskOf, Operations, WorkerAnswer, WorkerRequest } from './worker/operations.ts';
export { type AskOptions, WorkerLink } from './worker/worker-link.ts';
