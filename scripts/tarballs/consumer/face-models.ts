import { ok } from 'node:assert/strict';
import { engineRecipes, type ModelBundle, parseManifest } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';

export async function use(): Promise<void> {
  const bundle: ModelBundle = await openModelBundle({ addOnDirectory: null });
  const mesh: Uint8Array = await bundle.read('face-mesh');
  ok(mesh.length > 1_000_000 && engineRecipes.length > 0 && typeof parseManifest === 'function');
}
