import { ModelError } from './model-error.ts';
import type { EngineRecipe, EngineVersion, FaceLimits, ModelManifest } from './types.ts';

const enrolmentLimits = {
  interEyePx: 24,
  yawDeg: 30,
  pitchDeg: 30,
  brightness: 0.08,
  overexposed: 0.4,
  sharpness: 0.2,
  coverage: 0.9,
} as const satisfies FaceLimits;

/**
 * Every engine, the preferred one first. Another network, alignment, resampling or set of weights is another engine
 * with its own id, and its numbers hold for it alone (docs/internals/models.md: how to replace an engine).
 */
export const engineRecipes = [
  {
    engineId: 'retail-0095-mirror/4',
    modelId: 'mdl_0000000000ffvb191scynvtvjy',
    former: [{ engineId: 'retail-0095-mirror/3', modelId: 'mdl_01m808tx00fwwrwp72h0dr9z2q', matchThreshold: 0.477 }],
    dimension: 256,
    model: 'face-reidentification-retail-0095',
    // Published with the network (Open Model Zoo, `models/intel/face-reidentification-retail-0095/README.md`).
    alignment: {
      kind: 'five-points',
      points: [
        [0.31556875, 0.46157411],
        [0.68262292, 0.46157411],
        [0.5002625, 0.64050536],
        [0.34947187, 0.82469196],
        [0.65343646, 0.82469196],
      ],
    },
    mirror: true,
    matchThreshold: 0.476,
    // Turned faces of the AT&T set and of rendered people score far above the threshold (docs/internals/liveness.md).
    turnedMargin: 0,
    enrolmentLimits,
  },
  {
    engineId: 'dlib-resnet-128-mirror/2',
    modelId: 'mdl_0000000000fbwtxnwtak33sxps',
    former: [
      { engineId: 'dlib-resnet-128-mirror/1', modelId: 'mdl_01kdvdna00f3ab0bctdvgzftew', matchThreshold: 0.946 },
    ],
    dimension: 128,
    model: 'face-embedding',
    alignment: { kind: 'mean-face', padding: 0.25 },
    mirror: true,
    matchThreshold: 0.946,
    turnedMargin: 0.016,
    enrolmentLimits,
  },
] as const satisfies readonly EngineRecipe[];

/**
 * The engine and its former versions, the engine first. Its network makes the templates of all, and compares with all;
 * `matchThreshold` is that of its own probe with a reference of the version.
 */
export const versionsOf = ({ former, ...own }: EngineRecipe): readonly EngineVersion[] => [
  own,
  ...former.map((version) => ({ ...own, ...version })),
];

/** The recipe of an engine, or of the engine that this one is a former version of. */
export const recipeFor = (recipes: readonly EngineRecipe[], engineId: string): EngineRecipe | undefined =>
  recipes.find((recipe) => versionsOf(recipe).some((version) => version.engineId === engineId));

/** Names of the engines, without former versions. */
export const engineIds: readonly string[] = engineRecipes.map(({ engineId }) => engineId);

/** Photo limits that satisfy every engine, for a page that does not know the photo's engine. */
export const strictestLimits: FaceLimits = engineRecipes
  .map(({ enrolmentLimits }): FaceLimits => enrolmentLimits)
  .reduce((a, b) => ({
    interEyePx: Math.max(a.interEyePx, b.interEyePx),
    yawDeg: Math.min(a.yawDeg, b.yawDeg),
    pitchDeg: Math.min(a.pitchDeg, b.pitchDeg),
    brightness: Math.max(a.brightness, b.brightness),
    overexposed: Math.min(a.overexposed, b.overexposed),
    sharpness: Math.max(a.sharpness, b.sharpness),
    coverage: Math.max(a.coverage, b.coverage),
  }));

/** Engines whose network is installed, the preferred one first. */
export const enginesIn = ({ engines = [], models }: ModelManifest): readonly EngineRecipe[] =>
  engines.filter(({ model }) => models[model] !== undefined);

/**
 * An engine whose network is installed.
 * @param engineId default: the preferred one; a former version's is that of its engine
 * @throws ModelError `model-missing` if it is unknown or its add-on is not installed, or no engine is installed
 */
export function engineOf(manifest: ModelManifest, engineId?: string): EngineRecipe {
  const there = enginesIn(manifest);
  const recipe = engineId === undefined ? there[0] : recipeFor(there, engineId);
  if (recipe === undefined)
    throw new ModelError('model-missing', `${engineId ?? 'no engine'}: unknown, or its add-on is not installed`);
  return recipe;
}

/**
 * The part of a manifest that some engines need, without other engines and their networks.
 * @param engineIds default: only the preferred one
 * @throws ModelError `model-missing` as {@link engineOf}
 */
export function manifestOfEngines(manifest: ModelManifest, engineIds?: readonly string[]): ModelManifest {
  const chosen = engineIds === undefined ? [engineOf(manifest)] : engineIds.map((id) => engineOf(manifest, id));
  const engines = (manifest.engines ?? []).filter((one) => chosen.includes(one));
  const unused = (manifest.engines ?? []).filter((one) => !chosen.some(({ model }) => model === one.model));
  const models = Object.fromEntries(
    Object.entries(manifest.models).filter(([name]) => !unused.some(({ model }) => model === name)),
  );
  return { ...manifest, engines, models };
}
