import { ModelError } from './model-error.ts';
import type { ModelManifest, ModelName } from './types.ts';

/**
 * The part of a manifest for whoever needs these models alone. It has no engine's recipe: no template can be made with it.
 * @throws ModelError `model-missing` when the bundle lacks one of them
 */
export function manifestOfModels({ format, models }: ModelManifest, names: readonly ModelName[]): ModelManifest {
  const entries = names.map((name) => {
    const entry = models[name];
    if (entry === undefined) throw new ModelError('model-missing', `the bundle has no ${name} model`);
    return [name, entry] as const;
  });
  return { format, models: Object.fromEntries(entries) };
}
