/** The device SDK for Node: keys and packs in files, frames from folders, the engine on one thread. */
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
export {
  createFolderCamera,
  createRecordedCamera,
  type FolderCameraOptions,
  type TimedImage,
} from './camera/folder-camera.ts';
export { createNodeCheckInDevice, type NodeDeviceOptions, type SharedEngine } from './create-device.ts';
export { createFileKeyStore, createFilePackStore, lockDirectory } from './files/file-stores.ts';
export {
  createKeyringKeyStore,
  type Keyring,
  type KeyringKeyStoreOptions,
  openSystemKeyring,
} from './keyring/keyring.ts';
export type { KeyPlace } from './open-key-store.ts';
