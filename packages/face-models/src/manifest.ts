import {
  type Check,
  isCount,
  isNumber,
  isNumberFromZero,
  isObject,
  isString,
  listOf,
  matches,
  oneOf,
  shaped,
} from './checks.ts';
import { versionsOf } from './engine-spec.ts';
import { ModelError } from './model-error.ts';
import { isPassiveCalibration } from './passive-model.ts';
import {
  addOnModelNames,
  baseModelNames,
  type ChipAlignment,
  type EngineRecipe,
  type FaceLimits,
  type GoldenDigest,
  type GoldenTensor,
  type GoldenValues,
  type ModelEntry,
  type ModelManifest,
  type ModelName,
  type TensorSpec,
} from './types.ts';

/**
 * The part of a manifest with only these models. It has no engine recipe, so no templates can be made with it.
 * @throws ModelError `model-missing` if the bundle lacks one of them
 */
export function manifestOfModels({ format, models }: ModelManifest, names: readonly ModelName[]): ModelManifest {
  const entries = names.map((name) => {
    const entry = models[name];
    if (entry === undefined) throw new ModelError('model-missing', `the bundle has no ${name} model`);
    return [name, entry] as const;
  });
  return { format, models: Object.fromEntries(entries) };
}

const names: readonly string[] = [...baseModelNames, ...addOnModelNames];

/**
 * Parses a manifest from a file or the network.
 *
 * @throws ModelError `model-mismatch` unless it is a manifest of format 1
 */
export function parseManifest(json: string): ModelManifest {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ModelError('model-mismatch', 'the model manifest is not JSON', { cause });
  }
  const manifest = withWholeCalibration(value);
  if (!isManifest(manifest)) throw new ModelError('model-mismatch', 'the model manifest is not of a known format');
  return manifest;
}

/** With a threshold of 0 or less, different people would match. */
const isCosineAboveZero = (value: unknown): value is number => isNumberFromZero(value) && value > 0 && value <= 1;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/**
 * An add-on folder outlives the program that wrote it. Version 0.2 wrote a list of calibrations, of which the add-on's
 * was the only one. Versions to 0.2 measured no evidence: their calibration serves where staff watch. One without
 * another number that later versions require is dropped, so its model must be installed again.
 */
function withWholeCalibration(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { passiveLiveness, ...rest } = value;
  const calibration =
    Array.isArray(passiveLiveness) && passiveLiveness.length <= 1 ? passiveLiveness[0] : passiveLiveness;
  if (!isObject(calibration)) return calibration === undefined ? rest : value;
  const whole = { evidence: null, ...calibration };
  return isOfEarlierEdition(whole) ? rest : { ...rest, passiveLiveness: whole };
}

/** Numbers that later versions added to calibrations, with any valid value. */
const addedNumbers = { room: { from: 1, comfortableFrom: 1 }, photoAtLeast: null };

const isOfEarlierEdition = (value: object): boolean =>
  !isPassiveCalibration(value) && isPassiveCalibration({ ...addedNumbers, ...value });

function isManifest(value: unknown): value is ModelManifest {
  if (!isObject(value) || value.format !== 1 || !isObject(value.models)) return false;
  if (!optional(isRecipes)(value.engines) || !optional(isPassiveCalibration)(value.passiveLiveness)) return false;
  return Object.entries(value.models).every(([name, entry]) => isEntry(entry) && entry.name === name);
}

const isRecipes = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(isRecipe) &&
  (['engineId', 'modelId'] as const).every((name) => {
    const versions = value.flatMap(versionsOf);
    return new Set(versions.map((version) => version[name])).size === versions.length;
  });

const isRecipe = (value: unknown): value is EngineRecipe =>
  hasRecipeMembers(value) &&
  versionsOf(value).every(({ turnedMargin, matchThreshold }) => turnedMargin < matchThreshold);

const identity = { engineId: isString, modelId: matches(/^mdl_[0-9a-z]{26}$/), matchThreshold: isCosineAboveZero };

const hasRecipeMembers = shaped<EngineRecipe>({
  ...identity,
  former: listOf(shaped<EngineRecipe['former'][number]>(identity)),
  dimension: (value) => isCount(value) && value > 0,
  model: oneOf(...names),
  alignment: (value) => isMeanFace(value) || isFivePoints(value),
  mirror: oneOf(true, false),
  turnedMargin: isNumberFromZero,
  enrolmentLimits: shaped<FaceLimits>({
    interEyePx: isNumberFromZero,
    yawDeg: isNumberFromZero,
    pitchDeg: isNumberFromZero,
    brightness: isNumberFromZero,
    overexposed: isNumberFromZero,
    sharpness: isNumberFromZero,
    coverage: isNumberFromZero,
  }),
});

type Alignment<K> = Extract<ChipAlignment, { readonly kind: K }>;

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isNumber);
const isMeanFace = shaped<Alignment<'mean-face'>>({ kind: oneOf('mean-face'), padding: isNumber });
const isFivePoints = shaped<Alignment<'five-points'>>({
  kind: oneOf('five-points'),
  points: (value) => Array.isArray(value) && value.length === 5 && value.every(isPair),
});

const isTensors = listOf(
  shaped<TensorSpec>({
    name: isString,
    shape: listOf(isCount),
    type: oneOf('float32'),
    range: optional(isPair),
  }),
  1,
);

const hasGoldenMembers = shaped<GoldenTensor>({
  index: isCount,
  length: isCount,
  positions: listOf(isNumber, 1),
  values: listOf(isNumber),
});

const picture = { inputSeed: isCount, faceHeight: isNumber };
const isSha256 = matches(/^[0-9a-f]{64}$/);
const isGoldenDigest = shaped<GoldenDigest>({ ...picture, sha256: isSha256 });
const areGoldenValues = shaped<GoldenValues>({
  ...picture,
  tolerance: isNumber,
  outputs: listOf((value) => hasGoldenMembers(value) && value.positions.length === value.values.length, 1),
});

const isEntry = shaped<ModelEntry>({
  name: oneOf(...names),
  // A file name, not a path: an add-on's manifest must not refer outside its folder.
  file: matches(/^[a-z0-9][a-z0-9.-]*\.(tflite|network)$/),
  sha256: isSha256,
  bytes: isCount,
  licence: isString,
  origin: isString,
  inputs: isTensors,
  outputs: isTensors,
  golden: (value) => isGoldenDigest(value) || areGoldenValues(value),
});
