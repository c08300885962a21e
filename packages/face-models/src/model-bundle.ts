import { sha256Hex } from './hash.ts';
import { ModelError } from './model-error.ts';
import type { ModelEntry, ModelManifest, ModelName } from './types.ts';

/** A manifest and the way to its models' bytes. */
export interface ModelBundle {
  readonly manifest: ModelManifest;
  has(name: ModelName): boolean;
  /**
   * The model's bytes, whose SHA-256 was checked. Read on each call, not kept: a runtime copies them once.
   *
   * @throws ModelError `model-missing` when the bundle lacks the model or its file, `model-mismatch` when the bytes differ
   * from the manifest
   */
  read(name: ModelName): Promise<Uint8Array>;
}

export interface ModelBundleOptions {
  readonly manifest: ModelManifest;
  /** Brings the bytes of `entry.file`: by URL in a browser, from a folder in Node. What it rejects with becomes the cause. */
  readonly fetch: (entry: ModelEntry) => Promise<Uint8Array>;
}

/** A bundle over any transport. */
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
