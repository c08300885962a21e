/**
 * Sync, lease, sealed list and verification of a check-in device, over ports: the same code in Node, browsers and apps.
 */
export type { Camera, CameraFrame, ScreenLight } from './attempt/camera.ts';
export { CheckInDevice, type VerifyOptions } from './check-in-device.ts';
export type { DeviceConfig, DeviceModels, DevicePorts, DeviceSettings } from './config.ts';
export type { LightColour } from './light/colours.ts';
export type { RegionSettings } from './pinned-regions.ts';
export type { KeyStore } from './ports/key-store.ts';
export type { PackStore } from './ports/pack-store.ts';
export type { Clock, Random, Timers } from './ports/platform.ts';
export type { Transport } from './ports/transport.ts';
export type { Region } from './region.ts';
export {
  type Protections,
  type Verdict,
  type VerificationOutcome,
  type VerificationResult,
  verdictReasons,
  verificationOutcomes,
} from './result.ts';
export type { DeviceStatus, NotReady } from './status.ts';
export { type SyncFailure, type SyncResult, syncFailures } from './sync/sync-result.ts';
export { type Prompt, promptHints, promptKeys, type TurnDirection } from './verification/prompts.ts';
