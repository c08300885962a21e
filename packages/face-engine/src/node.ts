import { loadCore } from '@svc/core';
import type { ModelBundle, PassiveModelName } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { createFaceEngine } from './engine.ts';
import { openPassiveLiveness } from './liveness/passive-liveness.ts';
import { createTfjsTfliteNodeRuntime } from './node/tfjs-tflite.ts';
import { createCoreRuntime } from './runtime/core-runtime.ts';
import type { NetworkRuntime } from './runtime/port.ts';
import { bundleFailure } from './session.ts';
import type { FaceEngine, PassiveLiveness } from './types.ts';

export { createTfjsTfliteNodeRuntime };

/** Options of {@link createNodeFaceEngine}. */
export interface NodeFaceEngineOptions {
  /** One of the bundle's engines. Default: the preferred one. */
  readonly engineId?: string;
  /** Folder of the add-on models; null for none. Default: the operator's default folder. */
  readonly addOnDirectory?: string | null;
  /** The passive check: null for none, a name to require it. Default: if it is installed. */
  readonly passiveModel?: PassiveModelName | null;
}

/** An engine with its passive check and runtime. Owned by the caller, who disposes them. */
export interface NodeFaceEngine {
  readonly engine: FaceEngine;
  /** Null if not wanted, or not installed. */
  readonly passiveLiveness: PassiveLiveness | null;
  /** Dispose it after the engine and the passive check. */
  readonly runtime: NetworkRuntime;
  readonly bundle: ModelBundle;
}

/**
 * Creates an engine and a passive check on one single-threaded runtime: the core's, and tfjs-tflite's where an add-on's
 * network needs it. Create one per worker thread.
 * @throws FaceError `configuration-invalid` for an unknown passive model, `model-missing` if the bundle was not built
 *   or lacks the named model, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function createNodeFaceEngine(options: NodeFaceEngineOptions = {}): Promise<NodeFaceEngine> {
  const { engineId, addOnDirectory, passiveModel } = options;
  const core = await loadCore();
  const bundle = await openModelBundle(addOnDirectory === undefined ? {} : { addOnDirectory }).catch(
    (cause: unknown) => {
      throw bundleFailure('the model bundle', cause);
    },
  );
  const runtime = createCoreRuntime(core, () => createTfjsTfliteNodeRuntime(core.kind));
  try {
    // First, since a missing named model is detected quickly.
    const passiveLiveness = await openPassiveLiveness({ runtime, bundle }, passiveModel);
    const engine = await createFaceEngine({ core, runtime, bundle, ...(engineId === undefined ? {} : { engineId }) });
    return { engine, passiveLiveness, runtime, bundle };
  } catch (cause) {
    runtime.dispose();
    throw cause;
  }
}
