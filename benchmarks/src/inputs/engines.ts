import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeFaceEngine, type NodeFaceEngine, type NodeFaceEngineOptions } from '@svc/face-engine/node';
import { installMiniFasNet } from '@svc/face-models/node';
import { sharedPath } from './shared-data.ts';

export const withoutAddOn = 'passive liveness: its add-on weights are not beside the repository';

/** An engine with passive liveness where the add-on's weights lie beside the repository, compiled into a folder that is gone again. */
export async function benchEngine(
  runtime: NonNullable<NodeFaceEngineOptions['runtime']>,
  engineId?: string,
): Promise<NodeFaceEngine> {
  const options = { runtime, ...(engineId === undefined ? {} : { engineId }) };
  const weights = sharedPath('models/minifasnet');
  if (weights === null) return createNodeFaceEngine({ ...options, addOnDirectory: null });
  const addOnDirectory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    await installMiniFasNet({ from: weights, addOnDirectory });
    return await createNodeFaceEngine({ ...options, addOnDirectory });
  } finally {
    await rm(addOnDirectory, { recursive: true, force: true });
  }
}
