/** The model bundle: its contents, how its bytes are fetched and checked. Runs in Node, browsers and workers. */
export { engineIds, engineOf, engineRecipes, enginesIn, manifestOfEngines, strictestLimits } from './engine-spec.ts';
export { goldenInput } from './golden-input.ts';
export { manifestOfModels, parseManifest } from './manifest.ts';
export { createModelBundle, type ModelBundle, type ModelBundleOptions, modelFiles } from './model-bundle.ts';
export { ModelError, type ModelErrorCode } from './model-error.ts';
export { minifasnetCalibration, type PassiveCalibration, type ScorableLimits } from './passive-calibration.ts';
export {
  defaultPassiveModel,
  manifestOfPassiveModel,
  type PassiveModelName,
  passiveModelNames,
  passiveModelsIn,
  passiveNetworks,
} from './passive-models.ts';
export {
  type GraphConstant,
  type GraphOperator,
  type GraphTensor,
  readGraph,
  type TfliteGraph,
} from './tflite/read-graph.ts';
export type {
  AddOnModelName,
  BaseModelName,
  ChipAlignment,
  EmbeddingModelName,
  EngineRecipe,
  EngineSpec,
  FaceLimits,
  GoldenOutput,
  GoldenTensor,
  ModelEntry,
  ModelManifest,
  ModelName,
  TensorSpec,
} from './types.ts';
