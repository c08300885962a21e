/**
 * The device SDK for React Native: a camera view and a typed device around the native shells of Android and iOS.
 */
import type { HostComponent, ViewProps } from 'react-native';
import { createDeviceFactory } from './device.ts';
import NativeSvcDevice from './specs/NativeSvcDevice.ts';
import NativeCameraView from './specs/SvcCameraViewNativeComponent.ts';

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

/** Properties of {@link SvcCameraView}: those of a view, without children. */
export interface SvcCameraViewProps extends Omit<ViewProps, 'children'> {}

/**
 * The camera picture of the app's device, with the prompts unless the host draws them (`prompts: 'host'`). It holds the
 * engine's page: mount it before `createDevice`, because iOS pauses pages that no window shows, and keep it mounted as
 * long as the device is used. The view that was mounted last has the picture.
 */
export const SvcCameraView = NativeCameraView as HostComponent<SvcCameraViewProps>;

/**
 * Creates the app's check-in device: the shell opens keys and data, the engine loads, and every model runs once.
 * @throws SvcDeviceError `configuration-invalid`, `passive-liveness-missing`, `device-in-use` (one device at a time),
 *   `storage-failed`, `model-missing`, `model-mismatch`, `golden-mismatch`, `webassembly-missing`, `webview-too-old`,
 *   `runtime-failed`, `timeout`
 */
export const createDevice = createDeviceFactory(NativeSvcDevice);
