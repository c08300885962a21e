import { createHash } from 'node:crypto';
import type { ModelEntry, ModelManifest, ModelName } from '../types.ts';

/** A manifest entry for any bytes. */
export function entryFor(name: ModelName, bytes: Uint8Array): ModelEntry {
  const tensor = { name: 'x', shape: [1], type: 'float32' } as const;
  return {
    name,
    file: `${name}.tflite`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    inputs: [tensor],
    outputs: [tensor],
    licence: 'Apache-2.0',
    origin: 'a test',
    golden: { inputSeed: 1, faceHeight: 0.5, sha256: '0'.repeat(64) },
  };
}

export const manifestOf = (...entries: readonly ModelEntry[]): ModelManifest => ({
  format: 1,
  models: Object.fromEntries(entries.map((entry) => [entry.name, entry])),
});
