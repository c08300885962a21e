/** Sync, lease, sealed list and verification of a check-in device, over ports: the same code in Node, browsers and apps. */
export { createFetchTransport } from './adapters/fetch-transport.ts';
export { createMemoryKeyStore } from './adapters/memory-key-store.ts';
export { createMemoryPackStore } from './adapters/memory-pack-store.ts';
export { webClock, webRandom, webTimers } from './adapters/web-platform.ts';
export type { Camera, CameraFrame, ScreenLight } from './attempt/camera.ts';
export { FusedProbe, probeWeight, type WeightedFrame } from './attempt/fused-probe.ts';
export { protectionsOf } from './attempt/protections.ts';
export { type AttemptInput, type AttemptReport, runAttempt } from './attempt/run-attempt.ts';
export { type WatchedFrame, watchLiveness } from './attempt/watch-liveness.ts';
export { CheckInDevice } from './check-in-device.ts';
export type { DeviceConfig, DeviceModels, DevicePorts, DeviceSettings } from './config.ts';
export {
  type DeviceKeyPair,
  exportPrivateKey,
  generateDeviceKeyPair,
  importDeviceKeyPair,
  openSealedSecret,
  rawPublicKey,
} from './crypto/hpke.ts';
export {
  type LightColour,
  type LinearColour,
  lightPalette,
  linearColour,
  redShare,
  relativeLuminance,
  restingLight,
} from './light/colours.ts';
export type { LightEvidence } from './light/evidence.ts';
export { judgeLight, type LightAbstention, type LightJudgement, type LightVerdict } from './light/judge.ts';
export { measureLight } from './light/measure.ts';
export { type LightPolicy, STANDARD_LIGHT_POLICY } from './light/policy.ts';
export { type ShownSequence, type ShownStep, shownSteps } from './light/response.ts';
export {
  type Contrast,
  type ContrastPlace,
  contrastPlaces,
  type LightRegion,
  type LightSample,
  lightRegions,
} from './light/sample.ts';
export { drawLightSequence, type LightSequence, type LightStep, sequenceMs } from './light/sequence.ts';
export type { EarlierLight } from './light/strong-light.ts';
export type { RegionName, RegionSettings } from './pinned-regions.ts';
export type { Clock, Timers } from './ports/clock.ts';
export type { EpochKey, KeyStore, ListKeys, SealedSecret } from './ports/key-store.ts';
export type { PackReader, PackStore } from './ports/pack-store.ts';
export type { Random } from './ports/random.ts';
export type { VerifyEd25519 } from './ports/signature.ts';
export type { Transport, TransportAnswer, TransportRequest } from './ports/transport.ts';
export { type Region, signingKeyId } from './region.ts';
export {
  type Protections,
  type Verdict,
  type VerificationCounts,
  type VerificationOutcome,
  type VerificationResult,
  type VerificationTimings,
  verdictReasons,
  verificationOutcomes,
} from './result.ts';
export type { DeviceStatus, NotReady } from './status.ts';
export type { Connection } from './sync/schedule.ts';
export { type SyncFailure, type SyncResult, syncFailures } from './sync/sync-result.ts';
export { encodeListKeys, storedListKeys } from './trust/list-keys.ts';
export type { EraseReason } from './trust/trust-state.ts';
export {
  calibrate,
  type LivenessEstimate,
  outwardScore,
  type PassiveSample,
} from './verification/liveness-estimate.ts';
export { openAttempt, transition } from './verification/machine.ts';
export {
  type FusionPolicy,
  type PassivePolicy,
  type ReliefPolicy,
  STANDARD_POLICY,
  type TurnedPolicy,
  type VerificationPolicy,
} from './verification/policy.ts';
export {
  type Prompt,
  type PromptHint,
  type PromptKey,
  promptHints,
  promptKeys,
  type TurnDirection,
} from './verification/prompts.ts';
export type { AttemptEffect, AttemptEvent, AttemptState, EventName, StateName } from './verification/states.ts';
export { type TransitionTable, transitionTable } from './verification/table.ts';
