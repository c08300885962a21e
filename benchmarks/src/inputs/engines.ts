import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPassiveLiveness, type PassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine, type NodeFaceEngine, type NodeFaceEngineOptions } from '@svc/face-engine/node';
import { passiveModelsIn } from '@svc/face-models';
import { installAddOn } from '@svc/face-models/node';
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
    await installAddOn('minifasnet', { from: weights, addOnDirectory });
    return await use({ addOnDirectory });
  } finally {
    await rm(addOnDirectory, { recursive: true, force: true });
  }
}

/** An engine with the passive check that serves by default where the add-on is at hand. */
export function benchEngine(
  runtime: NonNullable<NodeFaceEngineOptions['runtime']>,
  engineId?: string,
): Promise<NodeFaceEngine> {
  return withAddOn((place) =>
    createNodeFaceEngine({ runtime, ...place, ...(engineId === undefined ? {} : { engineId }) }),
  );
}

export interface JudgingEngine extends NodeFaceEngine {
  /** Every passive check whose networks are at hand, the one that serves by default among them. */
  readonly passiveChecks: readonly PassiveLiveness[];
}

/** An engine with every passive check that can be made here. */
export function judgingEngine(runtime: NonNullable<NodeFaceEngineOptions['runtime']>): Promise<JudgingEngine> {
  return withAddOn(async (place) => {
    const loaded = await createNodeFaceEngine({ runtime, ...place });
    const options = { core: loaded.engine.core, runtime: loaded.runtime, bundle: loaded.bundle };
    const passiveChecks: PassiveLiveness[] = [];
    for (const name of passiveModelsIn(loaded.bundle.manifest)) {
      const check =
        loaded.passiveLiveness?.name === name ? loaded.passiveLiveness : await openPassiveLiveness(options, name);
      if (check !== null) passiveChecks.push(check);
    }
    return { ...loaded, passiveChecks };
  });
}
