import { ModelError } from './model-error.ts';
import { isPassiveCalibration } from './passive-model.ts';
import {
  addOnModelNames,
  baseModelNames,
  type ChipAlignment,
  type EngineRecipe,
  type FaceLimits,
  type ModelEntry,
  type ModelManifest,
  type ModelName,
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

type Unknown<T> = { readonly [K in keyof T]?: unknown };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
/** Excludes Number.POSITIVE_INFINITY, which JSON can express as 1e999. */
const isNumberFromZero = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;
/** With a threshold of 0 or less, different people would match. */
const isCosineAboveZero = (value: unknown): value is number => isNumberFromZero(value) && value > 0 && value <= 1;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * An add-on folder outlives the program that wrote it. Version 0.2 wrote a list of calibrations, of which the add-on's
 * was the only one. A calibration without a number that later versions require is dropped, so its model must be
 * installed again.
 */
function withWholeCalibration(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { passiveLiveness, ...rest } = value;
  const calibration = isArray(passiveLiveness) && passiveLiveness.length <= 1 ? passiveLiveness[0] : passiveLiveness;
  return calibration === undefined || isOfEarlierEdition(calibration)
    ? rest
    : { ...rest, passiveLiveness: calibration };
}

/** Numbers that later versions added to calibrations, with any valid value. */
const addedNumbers = { room: { from: 1, comfortableFrom: 1 }, photoAtLeast: null };

const isOfEarlierEdition = (value: unknown): boolean =>
  isObject(value) && !isPassiveCalibration(value) && isPassiveCalibration({ ...addedNumbers, ...value });

function isManifest(value: unknown): value is ModelManifest {
  if (!isObject(value) || value.format !== 1 || !isObject(value.models)) return false;
  if (value.engines !== undefined && !isRecipes(value.engines)) return false;
  if (value.passiveLiveness !== undefined && !isPassiveCalibration(value.passiveLiveness)) return false;
  return Object.entries(value.models).every(([name, entry]) => names.includes(name) && isEntry(name, entry));
}

function isRecipes(value: unknown): boolean {
  if (!isArray(value) || !value.every(isRecipe)) return false;
  return new Set(value.map(({ engineId }) => engineId)).size === value.length;
}

function isRecipe(value: unknown): value is EngineRecipe {
  if (!isObject(value)) return false;
  const {
    engineId,
    modelId,
    dimension,
    model,
    alignment,
    mirror,
    matchThreshold,
    turnedMargin,
    enrolmentLimits,
  }: Unknown<EngineRecipe> = value;
  return (
    typeof engineId === 'string' &&
    typeof modelId === 'string' &&
    /^mdl_[0-9a-z]{26}$/.test(modelId) &&
    isCount(dimension) &&
    dimension > 0 &&
    typeof model === 'string' &&
    names.includes(model) &&
    isAlignment(alignment) &&
    typeof mirror === 'boolean' &&
    isCosineAboveZero(matchThreshold) &&
    isNumberFromZero(turnedMargin) &&
    turnedMargin < matchThreshold &&
    isLimits(enrolmentLimits)
  );
}

function isAlignment(value: unknown): value is ChipAlignment {
  if (!isObject(value)) return false;
  if (value.kind === 'mean-face') return typeof value.padding === 'number';
  const { kind, points } = value;
  return (
    kind === 'five-points' &&
    isArray(points) &&
    points.length === 5 &&
    points.every((p) => isNumbers(p) && p.length === 2)
  );
}

const limitNames = ['interEyePx', 'yawDeg', 'pitchDeg', 'brightness', 'overexposed', 'sharpness', 'coverage'] as const;

const isLimits = (value: unknown): value is FaceLimits =>
  isObject(value) && limitNames.every((name: keyof FaceLimits) => isNumberFromZero(value[name]));

function isEntry(name: string, value: unknown): value is ModelEntry {
  if (!isObject(value)) return false;
  const entry: Unknown<ModelEntry> = value;
  return (
    entry.name === name &&
    typeof entry.file === 'string' &&
    // A file name, not a path: an add-on's manifest must not refer outside its folder.
    /^[a-z0-9][a-z0-9.-]*\.tflite$/.test(entry.file) &&
    typeof entry.sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(entry.sha256) &&
    isCount(entry.bytes) &&
    typeof entry.licence === 'string' &&
    typeof entry.origin === 'string' &&
    isTensors(entry.inputs) &&
    isTensors(entry.outputs) &&
    isGolden(entry.golden)
  );
}

function isTensors(value: unknown): boolean {
  return (
    isArray(value) &&
    value.length > 0 &&
    value.every(
      (tensor) =>
        isObject(tensor) &&
        typeof tensor.name === 'string' &&
        tensor.type === 'float32' &&
        isArray(tensor.shape) &&
        tensor.shape.every(isCount) &&
        (tensor.range === undefined || (isNumbers(tensor.range) && tensor.range.length === 2)),
    )
  );
}

function isGolden(value: unknown): boolean {
  return (
    isObject(value) &&
    isCount(value.inputSeed) &&
    typeof value.faceHeight === 'number' &&
    typeof value.tolerance === 'number' &&
    isArray(value.outputs) &&
    value.outputs.length > 0 &&
    value.outputs.every(
      (output) =>
        isObject(output) &&
        isCount(output.index) &&
        isCount(output.length) &&
        isNumbers(output.positions) &&
        isNumbers(output.values) &&
        output.positions.length > 0 &&
        output.positions.length === output.values.length,
    )
  );
}

function isNumbers(value: unknown): value is readonly number[] {
  return isArray(value) && value.every((x) => typeof x === 'number' && Number.isFinite(x));
}
