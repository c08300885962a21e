import { compileBaseModels, readSources } from '../build/base-models.ts';
import { engineRecipes } from '../engine-spec.ts';
import { createModelBundle, type ModelBundle } from '../model-bundle.ts';
import { compileAddOn } from '../node/install-add-on.ts';
import { recordedGoldens } from '../node/integer-model.ts';
import { type CompiledModel, describe } from '../node/write-model-folder.ts';
import { minifasnetCalibration } from '../passive-model.ts';
import { addOnNames, type ModelEntry } from '../types.ts';

/** With a golden value that any output meets: those of floats are compared with the originals' by their parity test. */
function describeFloats(model: CompiledModel): ModelEntry {
  const golden = recordedGoldens[model.name];
  if (golden === undefined) throw new TypeError(`no golden picture of ${model.name}`);
  const { inputSeed, faceHeight } = golden;
  const entry = describe(model);
  const length = entry.outputs[0]?.shape.reduce((product, size) => product * size, 1) ?? 0;
  const output = { index: 0, length, positions: [0], values: [0] };
  return { ...entry, golden: { inputSeed, faceHeight, tolerance: Number.MAX_VALUE, outputs: [output] } };
}

/**
 * The bundle as float networks: `.tflite` files, what integer networks are compared with.
 * @param published folder of the add-ons' published files; null for no add-ons
 */
export async function floatBundle(published: string | null): Promise<ModelBundle> {
  const models = compileBaseModels(readSources());
  if (published !== null) for (const name of addOnNames) models.push(...(await compileAddOn(name, published)));
  const bytes = new Map(models.map((model) => [model.name, model.bytes]));
  const manifest = {
    ...({ format: 1, engines: engineRecipes } as const),
    models: Object.fromEntries(models.map((model) => [model.name, describeFloats(model)])),
    ...(published === null ? {} : { passiveLiveness: minifasnetCalibration }),
  };
  return createModelBundle({ manifest, fetch: async ({ name }) => bytes.get(name) ?? new Uint8Array() });
}
