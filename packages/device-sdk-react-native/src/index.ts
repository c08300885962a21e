/**
 * The device SDK for React Native: a camera view and a typed device around the native shells of Android and iOS.
 */
import { createDeviceFactory } from './device.ts';
import NativeSvcDevice from './specs/NativeSvcDevice.ts';

export type {
  DeviceStatus,
  FailureCode,
  Prompt,
  SyncResult,
  VerificationResult,
} from '@svc/device-sdk-native';
export type { DeviceConfiguration } from './contract.ts';
export type { Device, Unsubscribe, VerifyOptions } from './device.ts';
export { SvcDeviceError } from './device-error.ts';
export { useDevicePrompt, useDeviceStatus } from './hooks.ts';
export { default as SvcCameraView, type SvcCameraViewProps } from './specs/SvcCameraViewNativeComponent.ts';

/**
 * Creates the app's check-in device: the shell opens keys and data, the engine loads, and every model runs once.
 * @throws SvcDeviceError `configuration-invalid`, `passive-liveness-missing`, `device-in-use` (one device at a time),
 *   `storage-failed`, `model-missing`, `model-mismatch`, `golden-mismatch`, `webassembly-missing`, `webview-too-old`,
 *   `runtime-failed`, `timeout`
 */
export const createDevice = createDeviceFactory(NativeSvcDevice);
