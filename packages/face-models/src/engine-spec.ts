import { ModelError } from './model-error.ts';
import type { EngineRecipe, EngineSpec, ModelManifest } from './types.ts';

/**
 * Every engine that this package's models can be. Change of model, alignment, resampling or weight is a new engine; a threshold
 * holds for one recipe and is calibrated for it (docs/accuracy.md).
 */
export const engineRecipes = [
  {
    engineId: 'dlib-resnet-128-mirror/1',
    dimension: 128,
    matchThreshold: 0.946,
    parts: [{ model: 'face-embedding', dimension: 128, padding: 0.25, mirror: true, weight: 1 }],
  },
  {
    engineId: 'dlib-faceres-1152/2',
    dimension: 1152,
    matchThreshold: 0.9,
    parts: [
      { model: 'face-embedding', dimension: 128, padding: 0.25, mirror: true, weight: 0.85 },
      { model: 'face-embedding-faceres', dimension: 1024, padding: 0.4, mirror: false, weight: 0.15 },
    ],
  },
] as const satisfies readonly EngineRecipe[];

/** What an operator can name. */
export const engineIds: readonly string[] = engineRecipes.map(({ engineId }) => engineId);

/** The engine of a deployment that names none; docs/adr/0009-second-engine.md tells why it is this one. */
export const defaultEngine: EngineRecipe = engineRecipes[0];

/** An engine without its recipe. */
export const specOf = ({ engineId, dimension, matchThreshold }: EngineSpec): EngineSpec => ({
  engineId,
  dimension,
  matchThreshold,
});

/**
 * The recipe of an engine of this bundle.
 * @param engineId the bundle's default when left out
 * @throws ModelError `model-missing` when the bundle has no such engine
 */
export function engineOf({ engine, engines = [] }: ModelManifest, engineId: string = engine.engineId): EngineRecipe {
  const recipe = engines.find((one) => one.engineId === engineId);
  if (recipe === undefined) throw new ModelError('model-missing', 'the bundle has no engine of this name');
  return recipe;
}

/**
 * The part of a manifest that one engine needs: it is the default and the only engine, and other engines' embeddings are left out.
 * @throws ModelError `model-missing` when the bundle has no such engine
 */
export function manifestOfEngine(manifest: ModelManifest, engineId?: string): ModelManifest {
  const recipe = engineOf(manifest, engineId);
  const embeddings = (recipes: readonly EngineRecipe[]) =>
    recipes.flatMap(({ parts }) => parts.map(({ model }) => model));
  const used: readonly string[] = embeddings([recipe]);
  const unused = embeddings(manifest.engines ?? []).filter((model) => !used.includes(model));
  const models = Object.fromEntries(
    Object.entries(manifest.models).filter(([name]) => !unused.some((model) => model === name)),
  );
  return { ...manifest, engine: specOf(recipe), engines: [recipe], models };
}
