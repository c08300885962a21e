import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeFaceEngine, type NodeFaceEngine, type NodeFaceEngineOptions } from '@svc/face-engine/node';
import { installMiniFasNet } from '@svc/face-models/node';
import { sharedPath } from './shared-data.ts';

export const withoutAddOn =
  'passive liveness: its add-on is not installed, and its weights are not beside the repository';

/**
 * Calls `use` with where the passive add-on is: a folder that is gone again afterwards, compiled from weights beside the repository; without those left
 * out, so that the installed one is used if there is one.
 */
export async function withAddOn<T>(use: (place: { readonly addOnDirectory?: string }) => Promise<T>): Promise<T> {
  const weights = sharedPath('models/minifasnet');
  if (weights === null) return use({});
  const addOnDirectory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    await installMiniFasNet({ from: weights, addOnDirectory });
    return await use({ addOnDirectory });
  } finally {
    await rm(addOnDirectory, { recursive: true, force: true });
  }
}

/** An engine with passive liveness where the add-on is at hand. */
export function benchEngine(
  runtime: NonNullable<NodeFaceEngineOptions['runtime']>,
  engineId?: string,
): Promise<NodeFaceEngine> {
  return withAddOn((place) =>
    createNodeFaceEngine({ runtime, ...place, ...(engineId === undefined ? {} : { engineId }) }),
  );
}
