import { ModelError } from './model-error.ts';
import type { ModelEntry, ModelManifest, ModelName } from './types.ts';

/** SHA-256 (FIPS 180-4) as lower-case hexadecimal, by Web Crypto (Node and secure browser contexts). */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The files of a model folder by name, in the form that the engine's `openModelBundleAt` reads: `manifest.json` and its
 * models.
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

/** A manifest and access to its models' bytes. */
export interface ModelBundle {
  readonly manifest: ModelManifest;
  has(name: ModelName): boolean;
  /**
   * The model's bytes, with verified SHA-256. Read on each call, not cached: a runtime copies them once.
   *
   * @throws ModelError `model-missing` if the bundle lacks the model or its file, `model-mismatch` if the bytes differ
   *   from the manifest
   */
  read(name: ModelName): Promise<Uint8Array>;
}

/** Options of {@link createModelBundle}. */
export interface ModelBundleOptions {
  readonly manifest: ModelManifest;
  /**
   * Loads the bytes of `entry.file`: by URL in a browser, from a folder in Node. A rejection becomes the error's cause.
   */
  readonly fetch: (entry: ModelEntry) => Promise<Uint8Array>;
}

/** Creates a bundle over any transport. */
export function createModelBundle({ manifest, fetch }: ModelBundleOptions): ModelBundle {
  return {
    manifest,
    has: (name) => manifest.models[name] !== undefined,
    async read(name) {
      const entry = manifest.models[name];
      if (entry === undefined) throw new ModelError('model-missing', `the bundle has no ${name} model`);
      let bytes: Uint8Array;
      try {
        bytes = await fetch(entry);
      } catch (cause) {
        throw new ModelError('model-missing', `the file of ${name} cannot be read`, { cause });
      }
      if (bytes.length !== entry.bytes || (await sha256Hex(bytes)) !== entry.sha256) {
        throw new ModelError('model-mismatch', `the file of ${name} is not the one in the manifest`);
      }
      return bytes;
    },
  };
}
