/**
 * The device SDK for browsers: keys and packs in IndexedDB, a camera with a video element, the engine in its own
 * worker.
 */
export { listWebCameras, type WebCamera } from '@svc/capture-web';
export {
  type Camera,
  type CameraFrame,
  type CheckInDevice,
  type DeviceStatus,
  type NotReady,
  type Prompt,
  type Protections,
  promptHints,
  promptKeys,
  type Region,
  type RegionSettings,
  type SyncFailure,
  type SyncResult,
  syncFailures,
  type TurnDirection,
  type VerificationOutcome,
  type VerificationResult,
  type VerifyOptions,
  verdictReasons,
  verificationOutcomes,
} from '@svc/device-sdk';
export { createVideoCamera, screenCandela, type VideoCameraOptions } from './camera/video-camera.ts';
export {
  createWebDevice,
  missingWebParts,
  type WebDevice,
  type WebDeviceOptions,
  type WebDevicePart,
} from './create-web-device.ts';
export { DEFAULT_DATABASE_NAME, describeWebStorage, type WebStorage } from './database/device-database.ts';
export { createWorkerEngine, type WorkerEngine, type WorkerEngineOptions } from './engine/worker-engine.ts';
export { type ForgetOptions, forgetWebDevice } from './forget-web-device.ts';
