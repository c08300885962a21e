/** From a frame to detection, landmarks, pose, quality, liveness and template. Runs in Node, browsers and workers. */
export {
  type EngineRecipe,
  type EvidenceFeature,
  type EvidenceFit,
  type FaceLimits,
  minifasnetCalibration,
  type PassiveCalibration,
  type PassiveModelName,
  passiveModelNames,
  recipeFor,
  strictestLimits,
  versionsOf,
} from '@svc/face-models';
export { analyserModels, createFaceAnalyser } from './analyser.ts';
export { trialFrame } from './drawn-head.ts';
export { meanTemplate } from './embed/mean-template.ts';
export { createFaceEngine } from './engine.ts';
export { facesIn, refusalOf, wipeAnalysis } from './enrolment.ts';
export { evidenceFeatures, evidenceOf, type PassiveReading } from './liveness/evidence.ts';
export {
  faceAspect,
  livenessBox,
  livenessContextScale,
  openPassiveLiveness,
  openPassiveNetworks,
  type PassiveNetworks,
} from './liveness/passive-liveness.ts';
export type { ReliefFace } from './relief/nose-relief.ts';
export { ReliefMeter, type ReliefPolicy, type ReliefSample, shapeOf } from './relief/relief-meter.ts';
export { createCoreRuntime } from './runtime/core-runtime.ts';
export type {
  NetworkModel,
  NetworkRuntime,
} from './runtime/port.ts';
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
  PassiveScore,
  Point,
  Pose,
  Quality,
} from './types.ts';
