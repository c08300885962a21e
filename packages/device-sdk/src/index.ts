/**
 * Sync, lease, sealed list and verification of a check-in device, over ports: the same code in Node, browsers and apps.
 */
export type { Camera, CameraFrame, ScreenLight } from './attempt/camera.ts';
export { CheckInDevice } from './check-in-device.ts';
export type { DeviceConfig, DeviceModels, DevicePorts, DeviceSettings } from './config.ts';
export type { LightColour } from './light/colours.ts';
export type { VerifyOptions } from './person-verifier.ts';
export type { Clock, Random, Timers } from './platform/platform.ts';
export type { Transport } from './platform/transport.ts';
export type { DeviceStatus, NotReady } from './status.ts';
export type { KeyStore } from './storage/key-store.ts';
export type { PackStore } from './storage/pack-store.ts';
export { type SyncFailure, type SyncResult, syncFailures } from './sync/sync-result.ts';
export { type Suitability, unattendedLacks } from './trust/admission.ts';
export type { Region, RegionSettings } from './trust/region.ts';
export {
  type Protections,
  type Verdict,
  type VerificationOutcome,
  type VerificationResult,
  verdictReasons,
  verificationOutcomes,
} from './verification/result.ts';
export { type Prompt, promptHints, promptKeys, type TurnDirection } from './verification/states.ts';
