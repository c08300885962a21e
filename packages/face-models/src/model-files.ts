import type { ModelBundle } from './model-bundle.ts';
import type { ModelManifest } from './types.ts';

/**
 * The files of a model folder by their names, as `openModelBundleAt` of the engine reads it: `manifest.json` and each model that it names.
 * @param manifest the bundle's, or a part of it
 * @throws ModelError `model-missing`, `model-mismatch`
 */
export async function modelFiles(
  bundle: ModelBundle,
  manifest: ModelManifest,
): Promise<readonly (readonly [name: string, bytes: Uint8Array])[]> {
  const models = Object.values(manifest.models).map(async ({ name, file }) => [file, await bundle.read(name)] as const);
  const json = new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);
  return [...(await Promise.all(models)), ['manifest.json', json]];
}
