/** From a frame to detection, landmarks, pose, quality, liveness and template. Runs in Node, browsers and workers. */
export {
  type EngineRecipe,
  type FaceLimits,
  minifasnetCalibration,
  type PassiveCalibration,
  type PassiveModelName,
  passiveModelNames,
  type ScorableLimits,
  strictestLimits,
} from '@svc/face-models';
export { analyserModels, createFaceAnalyser, type FaceAnalyserOptions } from './analyser.ts';
export { confirmationLimits, settledLimits, trackingLimits } from './confirmation.ts';
export { trialFrame } from './drawn-head.ts';
export { meanTemplate } from './embed/mean-template.ts';
export { createFaceEngine, type FaceEngineOptions } from './engine.ts';
export { type EnrolRefusal, facesIn, refusalOf, wipeAnalysis } from './enrolment.ts';
export { faceAspect, livenessBox, livenessContextScale } from './liveness/liveness-crop.ts';
export { openPassiveLiveness } from './liveness/open-passive-liveness.ts';
export type { PassiveLivenessOptions } from './liveness/passive-liveness.ts';
export {
  measureNoseRelief,
  type NoseRelief,
  type ReliefFace,
  reliefChipSize,
  reliefChipTransform,
} from './relief/nose-relief.ts';
export { ReliefMeter, type ReliefPolicy, type ReliefSample, shapeOf } from './relief/relief-meter.ts';
export { type CombinedRuntimeOptions, createCombinedRuntime } from './runtime/combined.ts';
export { createLiteRtRuntime } from './runtime/litert.ts';
export type {
  EmscriptenFactory,
  RuntimeAssets,
  TensorInfo,
  TfliteModel,
  TfliteRuntime,
} from './runtime/port.ts';
export { createTfjsTfliteRuntime } from './runtime/tfjs-tflite.ts';
export type {
  Box,
  Detection,
  EmbedOptions,
  EngineChoice,
  EngineImage,
  EnrolReason,
  EnrolResult,
  FaceAnalyser,
  FaceAnalysis,
  FaceEngine,
  PassiveLiveness,
  Point,
  Pose,
  Quality,
} from './types.ts';
