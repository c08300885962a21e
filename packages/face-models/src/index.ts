/** The model bundle: its contents, how its bytes are fetched and checked. Runs in Node, browsers and workers. */
export {
  engineIds,
  engineOf,
  engineRecipes,
  enginesIn,
  manifestOfEngines,
  recipeFor,
  strictestLimits,
  versionsOf,
} from './engine-spec.ts';
export { digestOf, goldenInput, isGolden } from './golden.ts';
export { manifestOfModels, parseManifest } from './manifest.ts';
export { createModelBundle, type ModelBundle, modelFiles } from './model-bundle.ts';
export { ModelError } from './model-error.ts';
export {
  type EvidenceFeature,
  type EvidenceFit,
  manifestOfPassiveModel,
  minifasnetCalibration,
  type PassiveCalibration,
  type PassiveModelName,
  passiveModelIn,
  passiveModelNames,
  type ScorableLimits,
} from './passive-model.ts';
export { planNetwork } from './plan/network-plan.ts';
export { meanCounts } from './plan/quantise.ts';
export { readGraph, type TfliteGraph } from './tflite/read-graph.ts';
export type {
  ChipAlignment,
  EmbeddingModelName,
  EngineRecipe,
  EngineVersion,
  FaceLimits,
  GoldenValues,
  ModelEntry,
  ModelManifest,
  ModelName,
  TensorSpec,
} from './types.ts';
export { baseModelNames } from './types.ts';
