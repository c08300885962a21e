import { compileBaseModels, readSources } from '../build/base-models.ts';
import { engineRecipes } from '../engine-spec.ts';
import { createModelBundle, type ModelBundle } from '../model-bundle.ts';
import { compileAddOn } from '../node/install-add-on.ts';
import { describe } from '../node/write-model-folder.ts';
import { minifasnetCalibration } from '../passive-model.ts';
import { addOnNames } from '../types.ts';

/**
 * The bundle as float networks: `.tflite` files with the originals' golden outputs, what integer networks are compared
 * with.
 * @param published folder of the add-ons' published files; null for no add-ons
 */
export async function floatBundle(published: string | null): Promise<ModelBundle> {
  const models = compileBaseModels(readSources());
  if (published !== null) for (const name of addOnNames) models.push(...(await compileAddOn(name, published)));
  const bytes = new Map(models.map((model) => [model.name, model.bytes]));
  const manifest = {
    ...({ format: 1, engines: engineRecipes } as const),
    models: Object.fromEntries(models.map((model) => [model.name, describe(model)])),
    ...(published === null ? {} : { passiveLiveness: minifasnetCalibration }),
  };
  return createModelBundle({ manifest, fetch: async ({ name }) => bytes.get(name) ?? new Uint8Array() });
}
